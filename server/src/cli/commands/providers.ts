/** `carillon providers`: what is configured, its state, and a test message. */
import type { Provider } from '@carillon/contract'
import type { Command } from 'commander'
import type { Open } from '../invocation.ts'
import type { Colors } from '../output/colors.ts'
import type { Column } from '../output/table.ts'

export function addProviders(program: Command, open: Open): void {
  const providers = program.command('providers').description('providers and their state')

  providers
    .command('list', { isDefault: true })
    .description('every provider, in order of preference per channel')
    .action(async (_options, command: Command) => {
      const { connect, print } = open(command)
      const { data } = await connect().providers.list()
      const empty = 'No providers are configured: every message is captured. POST /v1/providers adds one.'
      print.list(data, columns(print.colors), { empty, more: false })
    })

  providers
    .command('test')
    .argument('<id>', 'id of the provider, from providers list')
    .option('--to <address>', 'where to send it', '')
    .option('--user <id>', 'whose devices a push goes to')
    .description('send a test message now')
    .action(async (id: string, options: { to: string; user?: string }, command: Command) => {
      const { connect, print, endWithFailure } = open(command)
      const answer = await connect().providers.test(id, {
        address: options.to,
        ...(options.user !== undefined && { user_id: options.user }),
      })
      const { green, red } = print.colors
      const mark = answer.outcome === 'sent' ? green('✓') : red('✗')
      print.show(answer, () =>
        `${mark} ${answer.outcome} in ${answer.duration_ms} ms ${answer.message}`.trimEnd(),
      )
      if (answer.outcome !== 'sent') endWithFailure()
    })
}

function columns({ green, red, dim }: Colors): Column<Provider>[] {
  return [
    { head: 'id', value: provider => provider.id, whole: true },
    { head: 'name', value: provider => provider.name },
    { head: 'kind', value: provider => provider.kind },
    { head: 'channel', value: provider => provider.channel },
    { head: 'from', value: provider => provider.source, optional: true },
    { head: 'priority', value: provider => String(provider.priority) },
    {
      head: 'state',
      value: provider => {
        if (!provider.is_active) return dim('off')
        return provider.breaker.state === 'closed' ? green('ok') : red(provider.breaker.state)
      },
    },
  ]
}
