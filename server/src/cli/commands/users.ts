/** `carillon users`: tokens for people's browsers. */
import type { Command } from 'commander'
import { type Open, positiveNumber } from '../invocation.ts'
import { formatMoment } from '../output/times.ts'

export function addUsers(program: Command, open: Open): void {
  const users = program.command('users').description('people and the tokens of their browsers')

  users
    .command('token')
    .argument('<id>', 'id of the user')
    .option('--ttl <seconds>', 'how long it works, up to a day', positiveNumber)
    .description('create a token that reaches the person’s own inbox, preferences and subscriptions')
    .action(async (id: string, { ttl }: { ttl?: number }, command: Command) => {
      const { connect, print } = open(command)
      const created = await connect().userTokens.create(id, ttl === undefined ? {} : { ttl_seconds: ttl })
      print.show(created, () => created.token)
      print.remark(`Works until ${formatMoment(created.expires_at)}.`)
    })

  users
    .command('revoke-tokens')
    .argument('<id>', 'id of the user')
    .description('end all tokens that the person has by now')
    .action(async (id: string, _options, command: Command) => {
      const { connect, print } = open(command)
      await connect().userTokens.revoke(id)
      print.show({ id, revoked: true }, () => `${print.colors.green('✓')} tokens of ${id} revoked`)
    })
}
