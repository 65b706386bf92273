/** `carillon health`: whether Carillon answers and can do its work. */
import type { Command } from 'commander'
import type { Open } from '../invocation.ts'
import { printable } from '../output/printable.ts'

export function addHealth(program: Command, open: Open): void {
  program
    .command('health')
    .description('whether Carillon is running and ready; exits with 1 when it is not')
    .action(async (_options, command: Command) => {
      const { connect, print, endWithFailure } = open(command)
      const client = connect()
      const [live, { ready, report }] = await Promise.all([client.health.live(), client.health.ready()])
      const { green, red } = print.colors
      print.show({ live: true, live_report: live, ready, ready_report: report }, () =>
        [
          `${green('✓')} running`,
          ready ? `${green('✓')} ready` : `${red('✗')} not ready: ${printable(JSON.stringify(report))}`,
        ].join('\n'),
      )
      if (!ready) endWithFailure()
    })
}
