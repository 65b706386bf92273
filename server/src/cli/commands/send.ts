/** `carillon send`: one intent from the command line, and on request the wait for its end. */
import type { Command } from 'commander'
import type { Invocation, Open } from '../invocation.ts'
import { renderCounts } from '../output/route-status.ts'
import {
  addIntentOptions,
  addMomentOptions,
  explainMistakes,
  type IntentOptions,
  intentFrom,
  type MomentOptions,
} from './intent-arguments.ts'
import { hasFailed, waitForRoutes } from './wait-for-routes.ts'

type SendOptions = IntentOptions & MomentOptions & { wait?: boolean }

export function addSend(program: Command, open: Open): void {
  const command = program.command('send').argument('<type>', 'notification type')
  addMomentOptions(addIntentOptions(command))
    .option('--wait', 'until every route is finished; ends with 1 when one was not delivered')
    .description('send a notification')
    .action((type: string, options: SendOptions, command: Command) =>
      explainMistakes(command, () => send(type, options, open(command))),
    )
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
