/** `carillon events`: what happened in the application, and how far their consumers have read. */
import {
  type DomainEvent,
  EVENT_CONSUMERS,
  type EventConsumerName,
  type EventCursor,
} from '@carillon/contract'
import { Argument, type Command, InvalidArgumentError } from 'commander'
import type { Invocation, Open } from '../invocation.ts'
import type { Colors } from '../output/colors.ts'
import { renderFields } from '../output/fields.ts'
import { firstRows } from '../output/first-rows.ts'
import type { Column } from '../output/table.ts'
import { formatMoment } from '../output/times.ts'
import { addEventArguments, type EventOptions, eventFrom, threadFrom } from './event-arguments.ts'
import { addEventExplain } from './event-explain.ts'
import { addEventSimulate } from './event-simulate.ts'
import { reportMistakes } from './json-argument.ts'

type ListOptions = { kind?: string; topic?: string; thread?: string; actor?: string }

export function addEvents(program: Command, open: Open): void {
  const events = program.command('events').description('what happened in the application')

  events
    .command('list', { isDefault: true })
    .option('--kind <kind>')
    .option('--topic <topic>')
    .option('--thread <kind/id>')
    .option('--actor <user-id>')
    .description('newest first')
    .action((options: ListOptions, command: Command) =>
      reportMistakes(command, () => list(open(command), options)),
    )

  addEventArguments(events.command('emit'))
    .description('tell that something happened')
    .action((kind: string, options: EventOptions, command: Command) =>
      reportMistakes(command, () => emit(open(command), kind, options)),
    )

  addEventSimulate(events, open)
  addEventExplain(events, open)

  events
    .command('show')
    .argument('<event-id>', 'from events list')
    .description('one event')
    .action(async (id: string, _options, command: Command) => {
      const { connect, print } = open(command)
      const event = await connect().events.get(id)
      print.show(event, () => renderFields(fieldsOf(event), print.colors))
    })

  events
    .command('consumers')
    .description('how far each consumer has read the log')
    .action(async (_options, command: Command) => {
      const { connect, print } = open(command)
      const { data } = await connect().events.consumers()
      print.list(data, cursorColumns(print.colors), { empty: 'No consumers.' })
    })

  events
    .command('reset')
    .addArgument(new Argument('<consumer>').choices(EVENT_CONSUMERS))
    .argument('<id>', 'number of the last event that counts as done; 0 = read the whole log again', place)
    .description('have a consumer continue from another place in the log')
    .action(async (consumer: EventConsumerName, to: number, _options, command: Command) => {
      const { connect, print } = open(command)
      const cursor = await connect().events.resetConsumer(consumer, to)
      print.show(
        cursor,
        () => `${print.colors.green('✓')} ${consumer} continues after ${to}; ${cursor.lag} to read`,
      )
    })
}

function place(given: string): number {
  if (!/^[0-9]{1,15}$/.test(given)) throw new InvalidArgumentError('Expected the number of an event.')
  return Number(given)
}

async function emit({ connect, print, terminal }: Invocation, kind: string, options: EventOptions) {
  const event = await eventFrom(kind, options, terminal.readStdin)
  const emitted = await connect().events.emit(event)
  print.show(emitted, () => emitted.event_id)
  if (emitted.duplicate) print.remark('It had been emitted before; nothing was added.')
}

async function list({ connect, print, limit }: Invocation, { kind, topic, thread, actor }: ListOptions) {
  const about = thread === undefined ? undefined : threadFrom(thread)
  const query = {
    ...{ kind, topic, actor_id: actor },
    ...(about !== undefined && { thread_kind: about.kind, thread_id: about.id }),
  }
  const client = connect()
  const { rows, more } = await firstRows(page => client.events.list({ ...query, ...page }), limit)
  print.list(rows, COLUMNS, { empty: 'No events.', more })
}

const threadOf = ({ thread }: DomainEvent) => (thread === null ? '' : `${thread.kind}/${thread.id}`)

const COLUMNS: Column<DomainEvent>[] = [
  { head: 'event id', value: event => event.event_id, whole: true },
  { head: 'id', value: event => event.id ?? '', whole: true },
  { head: 'occurred', value: event => formatMoment(event.occurred_at), whole: true },
  { head: 'kind', value: event => event.kind },
  { head: 'actor', value: event => event.actor_id ?? '', optional: true },
  { head: 'topic', value: event => event.topic ?? '', optional: true },
  { head: 'thread', value: threadOf, optional: true },
]

function fieldsOf(event: DomainEvent): [string, string][] {
  const relations = Object.entries(event.relations).map(([name, people]) => `${name}: ${people.join(', ')}`)
  return [
    ['event id', event.event_id],
    ['id', event.id === null ? '(not in order yet)' : String(event.id)],
    ['kind', event.kind],
    ['actor', event.actor_id ?? ''],
    ['topic', event.topic ?? ''],
    ['thread', threadOf(event) + (event.thread?.title ? ` ${event.thread.title}` : '')],
    ['relations', relations.join('; ')],
    ['producer', event.producer],
    ['occurred', formatMoment(event.occurred_at)],
    ['payload', event.payload_json],
  ]
}

function cursorColumns({ green, red }: Colors): Column<EventCursor>[] {
  return [
    { head: 'consumer', value: cursor => cursor.consumer, whole: true },
    { head: 'read up to', value: cursor => cursor.last_event_id },
    { head: 'newest', value: cursor => cursor.head_id },
    {
      head: 'lag',
      value: cursor => cursor.lag,
      paint: (text, cursor) => (cursor.tries > 0 ? red : green)(text),
    },
    { head: 'tries', value: cursor => cursor.tries, optional: true },
    { head: 'next attempt', value: cursor => formatMoment(cursor.next_attempt_at), optional: true },
    { head: 'error', value: cursor => cursor.last_error, optional: true },
  ]
}
