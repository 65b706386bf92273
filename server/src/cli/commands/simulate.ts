/** `carillon simulate`: what would happen to an intent, without sending it. */
import type { Command } from 'commander'
import type { Invocation, Open } from '../invocation.ts'
import { renderSimulation } from '../output/render-simulation.ts'
import {
  addIntentOptions,
  addTimingOptions,
  type IntentOptions,
  intentFrom,
  type TimingOptions,
} from './intent-arguments.ts'
import { reportMistakes } from './json-argument.ts'

type SimulateOptions = IntentOptions & TimingOptions

export function addSimulate(program: Command, open: Open): void {
  const command = program.command('simulate').argument('<type>', 'notification type')
  addTimingOptions(addIntentOptions(command))
    .description('who would get what, when and how, or why not; nothing is sent')
    .action((type: string, options: SimulateOptions, command: Command) =>
      reportMistakes(command, () => simulate(type, options, open(command))),
    )
}

async function simulate(type: string, options: SimulateOptions, invocation: Invocation): Promise<void> {
  const { connect, print, terminal } = invocation
  const intent = await intentFrom(type, options, terminal.readStdin)
  const simulation = await connect().intents.simulate({
    ...intent,
    ...(options.key !== undefined && { idempotency_key: options.key }),
  })
  print.show(simulation, () => renderSimulation(simulation, print.colors, print.width))
  if (!simulation.is_complete) print.remark('The audience has more people than are shown.')
}
