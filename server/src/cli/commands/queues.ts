/** `carillon queues`: messages for the scripts whose triggers listen. */
import type { Command } from 'commander'
import { type Invocation, type Open, positiveNumber } from '../invocation.ts'
import { jsonFrom, reportMistakes } from './json-argument.ts'

type SendOptions = { orderingKey?: string; delay?: number }

export function addQueues(program: Command, open: Open): void {
  const queues = program.command('queues').description('messages for scripts')

  queues
    .command('send')
    .argument('<queue>', 'name of the queue')
    .argument('<message>', 'JSON, @file, or - for stdin')
    .option('--ordering-key <key>', 'messages with the same key arrive one after the other')
    .option('--delay <seconds>', 'run the scripts later, up to seven days', positiveNumber)
    .description('run the scripts whose triggers listen to a queue')
    .action((queue: string, message: string, options: SendOptions, command: Command) =>
      reportMistakes(command, () => send(open(command), queue, message, options)),
    )
}

async function send(
  { connect, print, terminal }: Invocation,
  queue: string,
  given: string,
  { orderingKey, delay }: SendOptions,
): Promise<void> {
  const queued = await connect().queues.send(queue, {
    message: await jsonFrom('message', given, terminal.readStdin),
    ...(orderingKey !== undefined && { ordering_key: orderingKey }),
    ...(delay !== undefined && { delay_seconds: delay }),
  })
  const triggers = queued.matched === 1 ? '1 trigger' : `${queued.matched} triggers`
  print.show(queued, () => `${print.colors.green('✓')} sent to ${triggers}`)
  if (queued.matched === 0) print.remark(`No trigger listens to ${queue}, so the message was not kept.`)
}
