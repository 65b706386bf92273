/** `carillon playground`: a link that opens the playground, for whoever is on the server's machine. */
import type { Command } from 'commander'
import type { Open } from '../invocation.ts'

export function addPlayground(program: Command, open: Open): void {
  program
    .command('playground')
    .option('--tenant <name>', 'in which it sends and shows messages; default: the first one')
    .description('print a link that opens the playground for a day')
    .action(async ({ tenant }: { tenant?: string }, command: Command) => {
      const { terminal, print, addressOf } = open(command)
      const { makePlaygroundLink } = await import('./playground-link.ts')
      const link = await makePlaygroundLink(terminal.environment, tenant, addressOf('/'), print.remark)
      print.show(link, () => link.url)
      print.remark(
        `Whoever has it can use the playground of the tenant ${link.tenant} until ${link.expires_at}.`,
      )
    })
}
