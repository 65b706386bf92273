/** `carillon system-events`: conditions an operator should know about. */
import { SEVERITIES, type Severity, type SystemEvent, type SystemEventQuery } from '@carillon/contract'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Open } from '../invocation.ts'
import type { Colors } from '../output/colors.ts'
import { firstRows } from '../output/first-rows.ts'
import { printable } from '../output/printable.ts'
import type { Column } from '../output/table.ts'
import { formatMoment } from '../output/times.ts'

interface ListOptions {
  severity?: Severity
  type?: string
  state: SystemEventQuery['state']
}

interface RaiseOptions {
  severity: Severity
  subject?: string
}

export function addSystemEvents(program: Command, open: Open): void {
  const events = program.command('system-events').description('conditions an operator should know about')

  events
    .command('list', { isDefault: true })
    .addOption(new Option('--severity <severity>').choices(SEVERITIES))
    .option('--type <event-type>')
    .addOption(new Option('--state <state>').choices(['open', 'resolved', 'all']).default('open'))
    .description('newest first')
    .action(async ({ severity, type, state }: ListOptions, command: Command) => {
      const { connect, print, limit } = open(command)
      const client = connect()
      const query = { state, severity, event_type: type }
      const { rows, more } = await firstRows(page => client.systemEvents.list({ ...query, ...page }), limit)
      print.list(rows, columns(print.colors), { empty: 'No system events.', more })
    })

  events
    .command('raise')
    .argument('<event-type>')
    .argument('<description>')
    .addOption(new Option('--severity <severity>').choices(SEVERITIES).default('medium'))
    .option('--subject <subject>', 'what it is about')
    .description('tell operators something')
    .action(async (type: string, description: string, options: RaiseOptions, command: Command) => {
      const { connect, print } = open(command)
      const event = await connect().systemEvents.raise({ event_type: type, description, ...options })
      print.show(
        event,
        () => `${print.colors.green('✓')} ${event.id} raised: ${printable(event.description)}`,
      )
    })

  events
    .command('resolve')
    .argument('<id>', 'number of the event', eventNumber)
    .option('--by <user-id>', 'who took care of it')
    .description('mark an event as taken care of')
    .action(async (id: number, { by }: { by?: string }, command: Command) => {
      const { connect, print } = open(command)
      const event = await connect().systemEvents.resolve(id, by === undefined ? {} : { resolved_by: by })
      print.show(
        event,
        () => `${print.colors.green('✓')} ${event.id} resolved: ${printable(event.description)}`,
      )
    })
}

function eventNumber(given: string): number {
  if (!/^[0-9]{1,15}$/.test(given)) throw new InvalidArgumentError('Expected the number of an event.')
  return Number(given)
}

function columns(colors: Colors): Column<SystemEvent>[] {
  const paint: { [severity in Severity]: (text: string) => string } = {
    low: colors.dim,
    medium: text => text,
    high: colors.yellow,
    critical: colors.red,
  }
  return [
    { head: 'id', value: event => event.id, whole: true },
    { head: 'created', value: event => formatMoment(event.created_at), whole: true },
    { head: 'severity', value: event => event.severity, paint: (text, event) => paint[event.severity](text) },
    { head: 'type', value: event => event.event_type },
    { head: 'description', value: event => event.description },
    { head: 'resolved', value: event => formatMoment(event.resolved_at), whole: true, optional: true },
  ]
}
