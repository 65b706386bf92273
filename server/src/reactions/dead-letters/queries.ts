/** The SQL of dead letters. */
import type { DeadLetter, DeadLetterFilter } from '@carillon/contract'
import type { Client, Executor } from '../../platform/database/pool.ts'

type Times = 'created_at' | 'resolved_at' | 'first_attempt_at' | 'last_attempt_at'
export type DeadLetterRow = Omit<DeadLetter, Times | 'template'> & {
  /** Empty if there is none. */
  template: string
  created_at: Date
  resolved_at: Date | null
  first_attempt_at: Date | null
  last_attempt_at: Date | null
}

const LETTER = `id, source_kind, notification_id, route_id, notification_type, channel, recipient_ref,
  final_attempt_count, max_attempts, failure_reason, failure_classification, failure_message, recovery_hint,
  created_at, resolved_at, resolution, resolved_by, original_event_id, source, op, target_id, trigger_id, script_id,
  first_attempt_at, last_attempt_at, provider, template, replayed_to`

const MATCHES_FILTER = `($2::text is null or channel = $2) and ($3::text is null or notification_type = $3)
  and ($4::text is null or failure_reason = $4) and ($5::text is null or failure_classification = $5)
  and ($6::timestamptz is null or created_at > $6) and ($7::timestamptz is null or created_at < $7)
  and ($8::text is null or source_kind = $8) and ($9::uuid is null or target_id = $9)
  and ($10::text is null or source = $10) and ($11::uuid is null or trigger_id = $11)
  and ($12::uuid is null or script_id = $12) and ($13::text is null or provider = $13)
  and ($14::text is null or template = $14) and ($15::uuid is null or notification_id = $15)
  and ($16::text is null or recipient_ref = $16 and recipient_ref <> '')`

const filterValues = (filter: DeadLetterFilter): unknown[] => [
  filter.channel ?? null,
  filter.notification_type ?? null,
  filter.failure_reason ?? null,
  filter.failure_classification ?? null,
  filter.created_after ?? null,
  filter.created_before ?? null,
  filter.source_kind ?? null,
  filter.target_id ?? null,
  // a route has no kind of outbox work; triggers call it by the same name
  filter.source === 'route' ? '' : (filter.source ?? null),
  filter.trigger_id ?? null,
  filter.script_id ?? null,
  filter.provider ?? null,
  filter.template ?? null,
  filter.notification_id ?? null,
  filter.recipient_ref ?? null,
]

/** A statement for each state instead of a parameter: open letters have an index of their own. */
const STATE = { open: 'resolved_at is null', resolved: 'resolved_at is not null', all: 'true' } as const

export type LetterState = keyof typeof STATE

export async function selectDeadLetters(
  db: Executor,
  tenantId: string,
  query: {
    filter: DeadLetterFilter
    state: LetterState
    after: (string | number)[] | undefined
    limit: number
  },
): Promise<DeadLetterRow[]> {
  const { rows } = await db.query<DeadLetterRow>(
    `select ${LETTER} from dead_letters
     where tenant_id = $1 and ${STATE[query.state]} and ${MATCHES_FILTER}
       and ($17::timestamptz is null or (created_at, id) < ($17, $18::uuid))
     order by created_at desc, id desc limit $19`,
    [
      tenantId,
      ...filterValues(query.filter),
      query.after?.[0] ?? null,
      query.after?.[1] ?? null,
      query.limit,
    ],
  )
  return rows
}

export async function countOpenDeadLetters(
  db: Executor,
  tenantId: string,
  filter: DeadLetterFilter = {},
): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::integer as count from dead_letters where tenant_id = $1 and resolved_at is null and ${MATCHES_FILTER}`,
    [tenantId, ...filterValues(filter)],
  )
  return rows[0]!.count
}

export interface GroupRow {
  failure_reason: DeadLetter['failure_reason']
  failure_classification: string
  channel: DeadLetter['channel']
  provider: string
  template: string
  source: string
  notification_types: string[]
  count: number
  oldest_at: Date
  newest_at: Date
  id: string
  failure_message: string
  recovery_hint: string
  recipient_ref: string
}

const CAUSE = `failure_reason, failure_classification, channel, provider, template,
  case source when '' then 'route' else source end as source`

/** The largest groups, each with the newest of its letters, which its time finds by index. */
export async function selectLetterGroups(
  db: Executor,
  tenantId: string,
  query: { filter: DeadLetterFilter; state: LetterState; limit: number },
): Promise<GroupRow[]> {
  const isWanted = `tenant_id = $1 and ${STATE[query.state]} and ${MATCHES_FILTER}`
  const { rows } = await db.query<GroupRow>(
    `select g.*, coalesce(g.named_types, '{}') as notification_types, s.id, s.failure_message, s.recovery_hint, s.recipient_ref
     from (
       select failure_reason, failure_classification, channel, provider, template, source, sum(count)::integer as count,
         (array_agg(notification_type order by notification_type) filter (where notification_type <> ''))[1:5]
           as named_types, min(oldest_at) as oldest_at, max(newest_at) as newest_at
       from (
         select ${CAUSE}, notification_type, count(*) as count, min(created_at) as oldest_at, max(created_at) as newest_at
         from dead_letters where ${isWanted} group by 1, 2, 3, 4, 5, 6, 7
       ) by_type
       group by 1, 2, 3, 4, 5, 6 order by count desc, newest_at desc, provider, template limit $17
     ) g
     cross join lateral (
       select id, failure_message, recovery_hint, recipient_ref
       from (select id, failure_message, recovery_hint, recipient_ref, ${CAUSE} from dead_letters
         where ${isWanted} and created_at = g.newest_at) letter
       where letter.failure_reason = g.failure_reason and letter.failure_classification = g.failure_classification
         and letter.channel is not distinct from g.channel and letter.provider = g.provider
         and letter.template = g.template and letter.source = g.source
       order by id desc limit 1
     ) s
     order by g.count desc, g.newest_at desc, g.provider, g.template`,
    [tenantId, ...filterValues(query.filter), query.limit],
  )
  return rows
}

export async function selectDeadLetter(db: Executor, tenantId: string, id: string) {
  const { rows } = await db.query<DeadLetterRow & { payload_json: string }>(
    `select ${LETTER.replace(/\b(\w+)\b/g, 'd.$1')}, coalesce(d.payload, rec.payload_json, old.payload_json) as payload_json
     from dead_letters d left join records rec on rec.tenant_id = d.tenant_id and rec.notification_id = d.notification_id
     left join records_archive old on old.tenant_id = d.tenant_id and old.notification_id = d.notification_id
     where d.tenant_id = $1 and d.id = $2`,
    [tenantId, id],
  )
  return rows[0]
}

/** Returns those that were still open. */
export async function resolveAsReplayed(
  tx: Client,
  tenantId: string,
  ids: string[],
  by: string | null,
  depth: number,
): Promise<DeadLetterRow[]> {
  const { rows } = await tx.query<DeadLetterRow>(
    `update dead_letters set resolved_at = now(), resolution = 'replayed', resolved_by = $3, trigger_depth = $4
     where tenant_id = $1 and id = any ($2::uuid[]) and resolved_at is null
     returning ${LETTER}`,
    [tenantId, ids, by, depth],
  )
  return rows
}

/** Puts what replayed letters hold back into the outbox, oldest first. */
export async function sendLettersAgain(tx: Client, tenantId: string, ids: string[]): Promise<void> {
  await tx.query(
    `select send_again(d.tenant_id, d.original_event_id, d.source, d.op, d.target_id, d.payload,
       d.dispatch -> 'context', d.dispatch ->> 'ordering_key',
       d.dispatch || jsonb_build_object('max_attempts', d.max_attempts, 'trigger_depth', d.trigger_depth))
     from (
       select * from dead_letters where tenant_id = $1 and id = any ($2::uuid[]) order by created_at, id
     ) d`,
    [tenantId, ids],
  )
}

/** A webhook that is switched off gets nothing, so its letters stay open until it is switched on. */
const CAN_BE_REPLAYED = `resolved_at is null and not exists (select from notification_webhooks w
  where dead_letters.source = 'webhook' and w.tenant_id = dead_letters.tenant_id and w.id = dead_letters.target_id
    and not w.is_active)`

export async function countReplayable(
  db: Executor,
  tenantId: string,
  filter: DeadLetterFilter,
): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::integer as count from dead_letters
     where tenant_id = $1 and ${CAN_BE_REPLAYED} and ${MATCHES_FILTER}`,
    [tenantId, ...filterValues(filter)],
  )
  return rows[0]!.count
}

/** Locks the oldest of those that match, and skips those that another operator is replaying. */
export async function lockMatchingIds(
  tx: Client,
  tenantId: string,
  filter: DeadLetterFilter,
  limit: number,
): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `select id from dead_letters where tenant_id = $1 and ${CAN_BE_REPLAYED} and ${MATCHES_FILTER}
     order by created_at, id limit $17 for update skip locked`,
    [tenantId, ...filterValues(filter), limit],
  )
  return rows.map(row => row.id)
}

/** Resolves the oldest of those that are open and match; others skip what somebody is replaying or resolving. */
export async function resolveMatchingRows(
  tx: Client,
  tenantId: string,
  filter: DeadLetterFilter,
  { limit, resolution, by }: { limit: number; resolution: string; by: string | null },
): Promise<number> {
  const { rowCount } = await tx.query(
    `update dead_letters set resolved_at = now(), resolution = $18, resolved_by = $19
     where tenant_id = $1 and id = any (array(
       select id from dead_letters where tenant_id = $1 and resolved_at is null and ${MATCHES_FILTER}
       order by created_at, id limit $17 for update skip locked))`,
    [tenantId, ...filterValues(filter), limit, resolution, by],
  )
  return rowCount ?? 0
}

export async function resolveDeadLetterRow(
  db: Executor,
  tenantId: string,
  id: string,
  resolution: string,
  by: string | null,
): Promise<DeadLetterRow | undefined> {
  const { rows } = await db.query<DeadLetterRow>(
    `update dead_letters set resolved_at = now(), resolution = $3, resolved_by = $4
     where tenant_id = $1 and id = $2 and resolved_at is null returning ${LETTER}`,
    [tenantId, id, resolution, by],
  )
  return rows[0]
}

export async function resolveLettersOfEvents(
  db: Executor,
  tenantId: string,
  eventIds: string[],
  by: string | null,
): Promise<void> {
  await db.query(
    `update dead_letters set resolved_at = now(), resolution = 'replayed', resolved_by = $3
     where tenant_id = $1 and original_event_id = any ($2::uuid[]) and resolved_at is null`,
    [tenantId, eventIds, by],
  )
}

export async function updateReplayedTo(
  tx: Client,
  tenantId: string,
  id: string,
  { from, to }: { from: string; to: string },
): Promise<DeadLetterRow> {
  const { rows } = await tx.query<DeadLetterRow>(
    `update dead_letters set replayed_from = $3, replayed_to = $4 where tenant_id = $1 and id = $2 returning ${LETTER}`,
    [tenantId, id, from, to],
  )
  return rows[0]!
}

export async function updateHandlerFailed(
  db: Executor,
  letters: { tenant_id: string; id: string }[],
): Promise<void> {
  await db.query('select handler_failed($1::jsonb)', [JSON.stringify(letters)])
}

/** A letter about a route, as far as the explanation of its record needs it. */
export interface RouteLetterRow {
  route_id: string
  created_at: Date
  failure_reason: string
  recovery_hint: string
  resolution: string | null
  resolved_at: Date | null
  resolved_by: string | null
  replayed_from: string | null
  replayed_to: string | null
}

export async function selectLettersOfRoutes(
  db: Executor,
  tenantId: string,
  id: string,
  routeIds: string[],
): Promise<RouteLetterRow[]> {
  const { rows } = await db.query<RouteLetterRow>(
    `select route_id, created_at, failure_reason, recovery_hint, resolution, resolved_at, resolved_by,
       replayed_from, replayed_to
     from dead_letters
     where tenant_id = $1 and notification_id = $2 and route_id = any ($3::text[])
     order by created_at`,
    [tenantId, id, routeIds],
  )
  return rows
}

/** Open and resolved letters about one thing to do, oldest first. */
export async function selectLettersOfEvent(
  db: Executor,
  tenantId: string,
  originalEventId: string,
): Promise<DeadLetterRow[]> {
  const { rows } = await db.query<DeadLetterRow>(
    `select ${LETTER} from dead_letters where tenant_id = $1 and original_event_id = $2 order by created_at, id`,
    [tenantId, originalEventId],
  )
  return rows
}
