/** `carillon events simulate`: who would be told of an event, without emitting it. */
import type { Command } from 'commander'
import type { Invocation, Open } from '../invocation.ts'
import { renderEventSimulation } from '../output/render-event.ts'
import { addEventArguments, type EventOptions, eventFrom } from './event-arguments.ts'
import { reportMistakes } from './json-argument.ts'

export function addEventSimulate(events: Command, open: Open): void {
  addEventArguments(events.command('simulate'))
    .description('who would be told, how and why, or why not; nothing is stored or sent')
    .action((kind: string, options: EventOptions, command: Command) =>
      reportMistakes(command, () => simulate(open(command), kind, options)),
    )
}

async function simulate({ connect, print, terminal }: Invocation, kind: string, options: EventOptions) {
  const simulation = await connect().events.simulate(await eventFrom(kind, options, terminal.readStdin))
  print.show(simulation, () => renderEventSimulation(simulation, print.colors, print.width))
  if (!simulation.is_complete) print.remark('There are more people than are shown.')
}
