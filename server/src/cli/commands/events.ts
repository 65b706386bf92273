/** `carillon events`: what happened in the application, and how far their consumers have read. */
import {
  type DomainEvent,
  EVENT_CONSUMERS,
  type EventConsumerName,
  type EventCursor,
  type NewEvent,
} from '@carillon/contract'
import { Argument, type Command, InvalidArgumentError } from 'commander'
import type { Invocation, Open } from '../invocation.ts'
import type { Colors } from '../output/colors.ts'
import { renderFields } from '../output/fields.ts'
import { firstRows } from '../output/first-rows.ts'
import type { Column } from '../output/table.ts'
import { formatMoment } from '../output/times.ts'
import { ArgumentMistake, jsonFrom, reportMistakes } from './json-argument.ts'

interface EmitOptions {
  actor?: string
  topic?: string
  thread?: string
  title?: string
  relation?: string[]
  payload?: string
  key?: string
}
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

  events
    .command('emit')
    .argument('<kind>', 'what happened, such as issue_opened')
    .option('--actor <user-id>', 'who did it')
    .option('--topic <topic>', 'what it happened in')
    .option('--thread <kind/id>', 'what it is about, such as issue/7')
    .option('--title <title>', 'the title of the thread')
    .option('--relation <name=user,user...>', 'who stands in which relation to it', collect)
    .option('--payload <json>', 'JSON, @file, or - for stdin')
    .option('--key <key>', 'idempotency key')
    .description('tell that something happened')
    .action((kind: string, options: EmitOptions, command: Command) =>
      reportMistakes(command, () => emit(open(command), kind, options)),
    )

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

const collect = (given: string, before: string[] = []) => [...before, given]

function place(given: string): number {
  if (!/^[0-9]{1,15}$/.test(given)) throw new InvalidArgumentError('Expected the number of an event.')
  return Number(given)
}

function threadFrom(given: string): { kind: string; id: string } {
  const [, kind, id] = /^([^/]+)\/(.+)$/.exec(given) ?? []
  if (kind === undefined || id === undefined)
    throw new ArgumentMistake(`the thread "${given}" is not of the form issue/7`)
  return { kind, id }
}

function relationsFrom(given: string[]): Record<string, string[]> {
  return Object.fromEntries(
    given.map(text => {
      const [, name, people] = /^([^=]+)=(.+)$/.exec(text) ?? []
      if (name === undefined || people === undefined)
        throw new ArgumentMistake(`the relation "${text}" is not of the form mention=ada,bob`)
      return [name, people.split(',')]
    }),
  )
}

async function emit({ connect, print, terminal }: Invocation, kind: string, options: EmitOptions) {
  const { actor, topic, thread, title, relation, payload, key } = options
  if (title !== undefined && thread === undefined)
    throw new ArgumentMistake('a title needs a thread: give --thread')
  const event: NewEvent = {
    kind,
    ...(actor !== undefined && { actor_id: actor }),
    ...(topic !== undefined && { topic }),
    ...(thread !== undefined && { thread: { ...threadFrom(thread), ...(title !== undefined && { title }) } }),
    ...(relation !== undefined && { relations: relationsFrom(relation) }),
    ...(payload !== undefined && {
      payload: (await jsonFrom('payload', payload, terminal.readStdin)) as Record<string, unknown>,
    }),
    ...(key !== undefined && { idempotency_key: key }),
  }
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
