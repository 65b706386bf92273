/** The SQL of cursors in the log of events. */
import type { Client, Executor } from '../../platform/database/pool.ts'

export interface CursorRow {
  consumer: string
  last_event_id: number
  head_id: number
  chunk_cursor: string
  tries: number
  next_attempt_at: Date | null
  last_error: string
  moved_at: Date
}

const CURSOR = `consumer, last_event_id::float8 as last_event_id, head_id::float8 as head_id, chunk_cursor, tries,
  next_attempt_at, last_error, moved_at`

const LOCK = "hashtextextended(format('event consumer %s %s', $1::text, $2::text), 0)"

/** Whoever has it is the only one who reads the tenant's log for the consumer, until its transaction ends. */
export async function tryLockCursor(tx: Client, tenantId: string, consumer: string): Promise<boolean> {
  const { rows } = await tx.query<{ locked: boolean }>(
    `select pg_try_advisory_xact_lock(${LOCK}) as locked`,
    [tenantId, consumer],
  )
  return rows[0]!.locked
}

/** Waits for whoever has it. Those who only try are refused meanwhile, so it is soon free. */
export async function lockCursor(tx: Client, tenantId: string, consumer: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(${LOCK})`, [tenantId, consumer])
}

interface CursorState {
  is_due: boolean
  /** It has been where it is for long. */
  is_stuck: boolean
}

const STUCK_TIME = `interval '5 minutes'`

export async function selectCursor(
  db: Executor,
  tenantId: string,
  consumer: string,
): Promise<(CursorRow & CursorState) | undefined> {
  const { rows } = await db.query<CursorRow & CursorState>(
    `select ${CURSOR}, last_event_id < head_id and coalesce(next_attempt_at <= now(), true) as is_due,
       moved_at < now() - ${STUCK_TIME} as is_stuck
     from domain_events_processed where tenant_id = $1 and consumer = $2`,
    [tenantId, consumer],
  )
  return rows[0]
}

export async function selectCursors(db: Executor, tenantId: string): Promise<CursorRow[]> {
  const { rows } = await db.query<CursorRow>(
    `select ${CURSOR} from domain_events_processed where tenant_id = $1 order by consumer`,
    [tenantId],
  )
  return rows
}

/** A subquery: as a join, the planner may read all tenants. */
const IS_SERVED = '(select t.suspended_at from tenants t where t.id = p.tenant_id) is null'

/**
 * Tenants whose log the consumer has still to read, the next ones after the last that was served. Those of suspended
 * tenants wait.
 */
export async function selectWaitingTenants(
  db: Executor,
  consumer: string,
  query: { lastTenant: string | undefined; except: string[]; limit: number },
): Promise<string[]> {
  const { rows } = await db.query<{ tenant_id: string }>(
    `select p.tenant_id from domain_events_processed p
     where p.consumer = $1 and p.last_event_id < p.head_id and p.tenant_id > $2 and p.tenant_id <> all ($3::uuid[])
       and coalesce(p.next_attempt_at <= now(), true) and ${IS_SERVED}
     order by p.tenant_id limit $4`,
    [consumer, query.lastTenant ?? FIRST_TENANT, query.except, query.limit],
  )
  return rows.map(row => row.tenant_id)
}

/** Before every tenant's id. */
const FIRST_TENANT = '00000000-0000-0000-0000-000000000000'

/** From where it was to where it is now; false if it is somewhere else by now. */
export async function moveCursor(
  tx: Client,
  tenantId: string,
  consumer: string,
  move: { from: number; fromChunk: string; to: number; toChunk: string },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update domain_events_processed set last_event_id = $5, chunk_cursor = $6, tries = 0, next_attempt_at = null,
       last_error = '', moved_at = now(), updated_at = now()
     where tenant_id = $1 and consumer = $2 and last_event_id = $3 and chunk_cursor = $4`,
    [tenantId, consumer, move.from, move.fromChunk, move.to, move.toChunk],
  )
  return rowCount === 1
}

/** Notes that the event after `lastEventId` has failed once more; false if the cursor is somewhere else by now. */
export async function postponeCursor(
  tx: Client,
  tenantId: string,
  consumer: string,
  failure: { lastEventId: number; error: string; delayMs: number },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update domain_events_processed set tries = tries + 1, last_error = $4,
       next_attempt_at = now() + make_interval(secs => $5::float8 / 1000), updated_at = now()
     where tenant_id = $1 and consumer = $2 and last_event_id = $3`,
    [tenantId, consumer, failure.lastEventId, failure.error, failure.delayMs],
  )
  return rowCount === 1
}

/** Where an operator puts it; undefined if the log does not reach so far. */
export async function resetCursor(
  tx: Client,
  tenantId: string,
  consumer: string,
  to: number,
): Promise<CursorRow | undefined> {
  const { rows } = await tx.query<CursorRow>(
    `update domain_events_processed set last_event_id = $3, chunk_cursor = '', tries = 0, next_attempt_at = null,
       last_error = '', moved_at = now(), updated_at = now()
     where tenant_id = $1 and consumer = $2 and head_id >= $3 returning ${CURSOR}`,
    [tenantId, consumer, to],
  )
  return rows[0]
}

/** What letters about an event and a consumer have in common; several consumers may give the same event up. */
export async function selectLetterKey(db: Executor, consumer: string, eventId: string): Promise<string> {
  const { rows } = await db.query<{ key: string }>("select derived_uuid($1 || ' ' || $2) as key", [
    consumer,
    eventId,
  ])
  return rows[0]!.key
}

/** The last event that is older than the tenant keeps records; 0 if there is none. */
export async function selectLastForgotten(db: Executor, tenantId: string): Promise<number> {
  const { rows } = await db.query<{ id: number }>(
    `select id::float8 as id from domain_events
     where tenant_id = $1 and id is not null and created_at < now() - make_interval(days => (
       select record_retention_days from tenant_retention where tenant_id = $1))
     order by created_at desc limit 1`,
    [tenantId],
  )
  return rows[0]?.id ?? 0
}

/**
 * An event that was given up; replayed, it goes through the outbox to the same consumer. One that is given up once more,
 * after its cursor was reset, has its letter already.
 */
export async function insertDeadLetter(
  tx: Client,
  work: { source: string; op: string },
  event: { tenant_id: string; event_id: string; id: number; kind: string; trigger_depth: number },
  { error, tries }: { error: string; tries: number },
): Promise<void> {
  const letter = {
    tenant_id: event.tenant_id,
    source_kind: 'outbox',
    final_attempt_count: tries,
    max_attempts: tries,
    failure_reason: 'max_retries_exceeded',
    failure_classification: 'transient',
    failure_message: error,
    recovery_hint: 'What it would have caused is missing. Correct the cause, then replay.',
    original_event_id: await selectLetterKey(tx, work.op, event.event_id),
    ...work,
    target_id: event.event_id,
    payload: JSON.stringify({ event_id: event.event_id, id: event.id, kind: event.kind }),
    dispatch: { context: {}, backoff: 'exponential', base_ms: 2000, cap_ms: 300_000 },
    trigger_depth: event.trigger_depth,
  }
  await tx.query(
    `select open_dead_letters($3::jsonb) where not exists (
       select from dead_letters d where d.tenant_id = $1 and d.original_event_id = $2 and d.resolved_at is null)`,
    [event.tenant_id, letter.original_event_id, JSON.stringify([letter])],
  )
}

export interface StuckRow {
  tenant_id: string
  consumer: string
  lag: number
  moved_at: Date
  last_error: string
  /** How often the event that comes next has failed: none if whoever tried it never came back. */
  tries: number
  event_id: string | null
  kind: string | null
}

/** Cursors that have not moved for long, though there are events after them. Suspended tenants wait on purpose. */
export async function selectStuckCursors(db: Executor, limit: number): Promise<StuckRow[]> {
  const { rows } = await db.query<StuckRow>(
    `select p.tenant_id, p.consumer, (p.head_id - p.last_event_id)::float8 as lag, p.moved_at, p.last_error, p.tries,
       e.event_id, e.kind
     from unnest(event_consumers()) as c (consumer)
     join domain_events_processed p on p.consumer = c.consumer and p.last_event_id < p.head_id
     left join lateral (
       select e.event_id, e.kind from domain_events e where e.tenant_id = p.tenant_id and e.id > p.last_event_id
       order by e.id limit 1) e on true
     where p.moved_at < now() - ${STUCK_TIME} and ${IS_SERVED}
     order by p.moved_at limit $1`,
    [limit],
  )
  return rows
}
