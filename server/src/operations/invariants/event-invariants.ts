/** What must hold of the logs of events and of what happens at set times: all of it moves on. */
import { LONG, SOON_SECONDS, tableWalk, type Walk } from './invariant.ts'

const IS_SERVED = '(select t.suspended_at from tenants t where t.id = x.tenant_id) is null'
/** Before this, whoever reads is between two tries. */
const STUCK = `interval '5 minutes'`

export const cursorWalk: Walk = tableWalk({
  name: 'event cursors',
  table: 'domain_events_processed',
  key: [
    ['tenant_id', 'uuid'],
    ['consumer', 'text'],
  ],
  columns: ['last_event_id', 'head_id', 'chunk_cursor', 'tries', 'last_error', 'moved_at'],
  invariants: [
    {
      name: 'cursor_moves',
      holds: 'Every consumer of events gets on in the log.',
      advice:
        'Start a process with the role fanout. If one runs and "tries" is 0, the event that comes next ends its process each time: look at it with carillon events explain, then pass over it with POST /v1/event-consumers/{name}/reset.',
      graceSeconds: SOON_SECONDS,
      broken: `x.last_event_id < x.head_id and x.moved_at < now() - ${STUCK} and ${IS_SERVED}`,
      item: 'x.consumer',
      since: 'x.moved_at',
      state: `x.last_event_id || ' ' || x.chunk_cursor`,
      details: `jsonb_build_object('tries', x.tries, 'error', x.last_error, 'lag', x.head_id - x.last_event_id) || coalesce((
        select jsonb_build_object('event_id', e.event_id, 'kind', e.kind, 'id', e.id) from domain_events e
        where e.tenant_id = x.tenant_id and e.id > x.last_event_id order by e.id limit 1), '{}')`,
      isToldElsewhere: true,
    },
    {
      name: 'cursor_reaches_end',
      holds: 'The log of events ends where its consumers take the end to be.',
      advice:
        'Events beyond it are read by nobody. Set head_id of the cursor to the largest id in domain_events.',
      graceSeconds: SOON_SECONDS,
      broken: `x.head_id < (
        select e.id from domain_events e where e.tenant_id = x.tenant_id and e.id is not null order by e.id desc limit 1)`,
      item: 'x.consumer',
      since: 'x.moved_at',
      state: 'x.head_id',
    },
  ],
})

export const unorderedWalk: Walk = tableWalk({
  name: 'unordered events',
  table: 'domain_events',
  key: [
    ['tenant_id', 'uuid'],
    ['seq', 'bigint'],
  ],
  columns: ['event_id', 'created_at'],
  where: 'x.id is null',
  invariants: [
    {
      name: 'event_has_place',
      holds: 'Every event gets its place in the log.',
      advice: 'Start a process with the role fanout; if one runs, its log says why the orderer fails.',
      graceSeconds: SOON_SECONDS,
      broken: `x.created_at < now() - ${STUCK}`,
      item: 'x.event_id',
      since: 'x.created_at',
      isToldElsewhere: true,
    },
  ],
})

export const tenantWalk: Walk = tableWalk({
  name: 'tenants',
  table: '(select id as tenant_id, created_at from tenants)',
  key: [['tenant_id', 'uuid']],
  columns: ['created_at'],
  invariants: [
    {
      name: 'tenant_has_cursors',
      holds: 'Every tenant has a cursor for each consumer of events.',
      advice:
        'Insert the missing row into domain_events_processed, with last_event_id and head_id of the other consumers.',
      graceSeconds: SOON_SECONDS,
      from: 'unnest(event_consumers()) as c (consumer)',
      broken: `not exists (
        select from domain_events_processed p where p.tenant_id = x.tenant_id and p.consumer = c.consumer)`,
      item: 'c.consumer',
      since: 'x.created_at',
    },
  ],
})

const overdue = (noun: 'schedule' | 'cron_trigger', command: string) => ({
  name: `${noun}_runs`,
  holds: 'What is to happen at a time happens then.',
  advice: `Start a process with the role fanout; if one runs, ${command} says what is wrong.`,
  graceSeconds: SOON_SECONDS,
  broken: `x.next_run_at < now() - ${LONG} and ${IS_SERVED}`,
  since: 'x.next_run_at',
  state: 'x.next_run_at',
})

export const scheduleWalk: Walk = tableWalk({
  name: 'schedules',
  table: 'schedules',
  key: [
    ['tenant_id', 'uuid'],
    ['id', 'uuid'],
  ],
  columns: ['next_run_at'],
  invariants: [{ ...overdue('schedule', 'carillon schedules'), item: 'x.id' }],
})

export const cronTriggerWalk: Walk = tableWalk({
  name: 'cron triggers',
  table: 'cron_trigger_details',
  key: [
    ['tenant_id', 'uuid'],
    ['trigger_id', 'uuid'],
  ],
  columns: ['next_run_at'],
  invariants: [{ ...overdue('cron_trigger', 'carillon triggers'), item: 'x.trigger_id' }],
})
