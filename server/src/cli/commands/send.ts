/** `carillon send`: sends one intent and, with --wait, waits until it is delivered. */
import type { Command } from 'commander'
import type { Invocation, Open } from '../invocation.ts'
import { renderCounts } from '../output/route-status.ts'
import {
  addIntentOptions,
  addTimingOptions,
  type IntentOptions,
  intentFrom,
  type TimingOptions,
} from './intent-arguments.ts'
import { reportMistakes } from './json-argument.ts'
import { hasFailed, waitForRoutes } from './wait-for-routes.ts'

type SendOptions = IntentOptions & TimingOptions & { wait?: boolean }

export function addSend(program: Command, open: Open): void {
  const command = program.command('send').argument('<type>', 'notification type')
  addTimingOptions(addIntentOptions(command))
    .option('--wait', 'wait until every route is finished; exits with 1 when one was not delivered')
    .description('send a notification')
    .action((type: string, options: SendOptions, command: Command) =>
      reportMistakes(command, () => send(type, options, open(command))),
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
  const verdict = accepted.duplicate ? 'was already accepted' : 'accepted'
  const heading = `${green('✓')} ${accepted.notification_id} ${verdict}`

  for (const { detail } of accepted.warnings ?? []) print.remark(`Warning: ${detail}`)
  if (!options.wait) {
    print.show(accepted, () => heading)
    print.remark(`To see what happens to it: carillon explain ${accepted.notification_id}`)
    return
  }
  const routes = await waitForRoutes(client, accepted.notification_id, terminal, print)
  print.show({ ...accepted, routes }, () => `${heading}\n  ${renderCounts(routes, print.colors)}`)
  if (hasFailed(routes)) endWithFailure()
}
