/** `carillon send`: one intent from the command line, and on request the wait for its end. */
import { CHANNELS } from '@carillon/contract'
import { type Command, Option } from 'commander'
import { ArgumentMistake, intentFrom, type SendOptions } from './intent-arguments.ts'
import type { Invocation, Open } from './invocation.ts'
import { renderCounts } from './route-status.ts'
import { hasFailed, waitForRoutes } from './wait-for-routes.ts'

export function addSend(program: Command, open: Open): void {
  program
    .command('send')
    .argument('<type>', 'notification type')
    .option('--to <user-id...>', 'these users')
    .option('--email <address...>', 'these mail addresses')
    .option('--topic <topic>', 'everybody who watches it')
    .option('--tenant-wide', 'everybody')
    .addOption(new Option('--channel <channel...>', 'instead of the channels of the type').choices(CHANNELS))
    .option('--template <name>', 'instead of the template of the type')
    .option('--payload <json>', 'a JSON object, @file, or - for stdin')
    .option('--key <idempotency-key>', 'sending again with it changes nothing')
    .option('--send-at <time>', 'not before, e.g. 2026-01-31T09:30:00Z')
    .option('--expires-at <time>', 'not after')
    .option('--wait', 'until every route is finished; ends with 1 when one was not delivered')
    .description('send a notification')
    .action(async (type: string, options: SendOptions, command: Command) => {
      try {
        await send(type, options, open(command))
      } catch (error) {
        if (error instanceof ArgumentMistake) command.error(`error: ${error.message}`)
        throw error
      }
    })
}

async function send(type: string, options: SendOptions, invocation: Invocation): Promise<void> {
  const { print, terminal, connect, endWithFailure } = invocation
  const intent = await intentFrom(type, options, terminal.readStdin)
  const client = connect()
  const accepted = await client.intents.send(
    intent,
    options.key === undefined ? {} : { idempotencyKey: options.key },
  )
  const { green } = print.colors
  const verdict = accepted.duplicate ? 'was accepted before' : 'accepted'
  const heading = `${green('✓')} ${accepted.notification_id} ${verdict}`

  if (!options.wait) {
    print.show(accepted, () => heading)
    print.remark(`What becomes of it: carillon explain ${accepted.notification_id}`)
    return
  }
  const routes = await waitForRoutes(client, accepted.notification_id, terminal, print)
  print.show({ ...accepted, routes }, () => `${heading}\n  ${renderCounts(routes, print.colors)}`)
  if (hasFailed(routes)) endWithFailure()
}
