/** The SQL of domain events. */
import type { ErrorCode, EventQuery } from '@carillon/contract'
import type { Client, Executor, Pool } from '../../platform/database/pool.ts'
import type { CheckedEvent } from './event.ts'

/** A row as it is, except that numbers are numbers. */
export interface DomainEventRow {
  tenant_id: string
  event_id: string
  /** Its place in the tenant's log; null until it has one. Whoever reads the log gets only those that do. */
  id: number | null
  kind: string
  producer: string
  actor_id: string | null
  topic: string | null
  thread_kind: string | null
  thread_id: string | null
  thread_title: string | null
  thread_url: string | null
  thread_author_id: string | null
  source_kind: string
  source_id: string
  is_public: boolean
  relations: Record<string, string[]>
  payload_json: string
  idempotency_key: string | null
  request_id: string
  traceparent: string
  trigger_depth: number
  occurred_at: Date
  created_at: Date
}

const EVENT = `tenant_id, event_id, id::float8 as id, kind, producer, actor_id, topic, thread_kind, thread_id, thread_title,
  thread_url, thread_author_id, source_kind, source_id, is_public, relations, payload_json, idempotency_key, request_id,
  traceparent, trigger_depth, occurred_at, created_at`

export interface AppendRow {
  ord: number
  outcome: 'accepted' | 'duplicate' | 'conflict' | 'refused'
  event_id: string | null
  failure_code: ErrorCode | null
  failure_field: string | null
  failure_message: string | null
}

/**
 * How long to wait for a key that another transaction has used but not yet committed: an application may leave its own
 * open for minutes after emit_event(), and everybody else's events are in the same statement.
 */
const LOCK_TIMEOUT = '2s'

/** The limit is set first, by the statement itself, because a second one would cost a round trip. */
const APPEND = `
  select a.* from (select set_config('lock_timeout', '${LOCK_TIMEOUT}', true) as is_set) s
  cross join lateral append_events(case when s.is_set <> '' then $1::jsonb end) a`

/** One statement for the whole batch; server/functions/domain-events/append_events.sql has the rules. */
export async function appendEvents(db: Pool | Client, events: CheckedEvent[]): Promise<AppendRow[]> {
  const { rows } = await db.query<AppendRow>({
    name: 'append_events',
    text: APPEND,
    values: [JSON.stringify(events.map((event, ord) => ({ ord, ...event })))],
  })
  return rows
}

export async function selectEvent(
  db: Executor,
  tenantId: string,
  eventId: string,
): Promise<DomainEventRow | undefined> {
  const { rows } = await db.query<DomainEventRow>(
    `select ${EVENT} from domain_events where tenant_id = $1 and event_id = $2`,
    [tenantId, eventId],
  )
  return rows[0]
}

export type EventFilter = Pick<EventQuery, (typeof FILTERS)[number]>

const FILTERS = ['kind', 'topic', 'thread_kind', 'thread_id', 'actor_id'] as const

/** Of the event that took a key; undefined once it is gone. */
export async function selectEventIdByKey(
  db: Executor,
  tenantId: string,
  producer: string,
  key: string,
): Promise<string | undefined> {
  const { rows } = await db.query<{ event_id: string }>(
    'select event_id from domain_events where tenant_id = $1 and producer = $2 and idempotency_key = $3',
    [tenantId, producer, key],
  )
  return rows[0]?.event_id
}

/**
 * Newest first. Only conditions that are asked for are in the statement: with all of them, and parameters that switch them
 * off, one plan would have to serve every filter.
 */
export async function selectEvents(
  db: Executor,
  tenantId: string,
  query: { filter: EventFilter; after: (string | number)[] | undefined; limit: number },
): Promise<DomainEventRow[]> {
  const values: unknown[] = [tenantId, query.limit]
  const equals = (column: string, value: unknown, operator = '=') =>
    value === undefined ? '' : ` and ${column} ${operator} $${values.push(value)}`
  const conditions = FILTERS.map(name => equals(name, query.filter[name])).join('')
  const { rows } = await db.query<DomainEventRow>(
    `select ${EVENT} from domain_events where tenant_id = $1${conditions}${equals('event_id', query.after?.[0], '<')}
     order by event_id desc limit $2`,
    values,
  )
  return rows
}

/** The next events of the log after a place, in its order. */
export async function selectLog(
  db: Executor,
  tenantId: string,
  after: number,
  limit: number,
): Promise<(DomainEventRow & { id: number })[]> {
  const { rows } = await db.query<DomainEventRow & { id: number }>(
    `select ${EVENT} from domain_events where tenant_id = $1 and id is not null and id > $2 order by domain_events.id limit $3`,
    [tenantId, after, limit],
  )
  return rows
}

/** Before every tenant's id. */
const FIRST_TENANT = '00000000-0000-0000-0000-000000000000'

/**
 * Tenants with events that have no place yet, after the last one served, found by skipping from one to the next in the
 * index: what one of them wrote costs the others nothing.
 */
export async function selectUnorderedTenants(
  db: Executor,
  lastTenant: string = FIRST_TENANT,
  limit: number,
): Promise<string[]> {
  const { rows } = await db.query<{ tenant_id: string }>(
    `with recursive found as (
       (select tenant_id from domain_events where id is null and tenant_id > $1 order by tenant_id limit 1)
       union all
       select (select d.tenant_id from domain_events d where d.id is null and d.tenant_id > f.tenant_id
         order by d.tenant_id limit 1)
       from found f where f.tenant_id is not null
     )
     select tenant_id from found where tenant_id is not null limit $2`,
    [lastTenant, limit],
  )
  return rows.map(row => row.tenant_id)
}

/** The first event of each of these tenants that has no place yet. */
export async function selectFirstUnordered(
  db: Executor,
  tenantIds: string[],
): Promise<{ tenant_id: string; event_id: string; created_at: Date }[]> {
  const { rows } = await db.query<{ tenant_id: string; event_id: string; created_at: Date }>(
    `select d.tenant_id, d.event_id, d.created_at from unnest($1::uuid[]) as t (id)
     cross join lateral (
       select x.tenant_id, x.event_id, x.created_at from domain_events x
       where x.tenant_id = t.id and x.id is null order by x.seq limit 1
     ) d`,
    [tenantIds],
  )
  return rows
}

/** How many events got their place; null while another process is at it. */
export async function orderEvents(db: Executor, tenantId: string, most: number): Promise<number | null> {
  const { rows } = await db.query<{ ordered: number | null }>('select order_events($1, $2) as ordered', [
    tenantId,
    most,
  ])
  return rows[0]!.ordered
}
