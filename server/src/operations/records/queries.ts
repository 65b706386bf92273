/** The SQL of records and their routes. */
import type {
  Attempt,
  AudienceKind,
  Channel,
  Route,
  RouteStatus,
  Record as WireRecord,
} from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'

type Dated<T, Keys extends keyof T> = {
  [K in keyof T]: K extends Keys ? (null extends T[K] ? Date | null : Date) : T[K]
}

export type RecordRow = Dated<
  WireRecord,
  | 'idempotency_expires_at'
  | 'send_at'
  | 'expires_at'
  | 'occurred_at'
  | 'accepted_at'
  | 'expanded_at'
  | 'cancelled_at'
> & { audience_kind: AudienceKind; channels: Channel[] }

export type RouteRow = Dated<
  Route,
  | 'next_attempt_at'
  | 'last_error_at'
  | 'created_at'
  | 'updated_at'
  | 'delivered_at'
  | 'opened_at'
  | 'bounced_at'
  | 'finished_at'
>
export type AttemptRow = Dated<Attempt, 'started_at' | 'next_attempt_at'> & { route_id: string }
export type After = (string | number)[] | undefined

const RECORD = `notification_id, notification_type, producer, reason, audience_kind, recipients, topic, channels, template,
  idempotency_key, idempotency_expires_at, request_fingerprint, source, source_entry_id, request_id, traceparent, send_at,
  send_at_local, expires_at, occurred_at, accepted_at, expanded_at, cancelled_at`

const ROUTE = `r.notification_id, r.route_id, r.channel, r.recipient_ref, r.user_id, r.resolved_address, r.resolved_locale,
  r.status, r.reason, r.attempt_count, r.max_attempts, r.next_attempt_at,
  r.digest_id, r.unless_read is not null as is_escalation, r.provider, r.provider_message_id,
  r.last_error_classification, r.last_error_message, r.last_error_at, r.created_at, r.updated_at, r.delivered_at,
  r.opened_at, r.bounced_at, coalesce(r.sent_at, r.dead_at, r.skipped_at, r.cancelled_at, r.expired_at) as finished_at,
  (select jsonb_build_object('name', v.name, 'locale', v.locale, 'version', v.version) from template_versions v
    where v.id = r.template_version_id) as template`

const ATTEMPT =
  'route_id, attempt_no, outcome, provider, message, worker, started_at, duration_ms, next_attempt_at, calls'

export async function selectRecords(
  db: Executor,
  tenantId: string,
  query: {
    notification_type?: string | undefined
    producer?: string | undefined
    idempotency_key?: string | undefined
    accepted_after?: string | undefined
    accepted_before?: string | undefined
    after: After
    limit: number
  },
): Promise<RecordRow[]> {
  const { rows } = await db.query<RecordRow>(
    `select ${RECORD} from records
     where tenant_id = $1 and ($2::text is null or notification_type = $2) and ($3::text is null or producer = $3)
       and ($4::text is null or idempotency_key = $4)
       and ($5::timestamptz is null or accepted_at > $5) and ($6::timestamptz is null or accepted_at < $6)
       and ($7::timestamptz is null or (accepted_at, notification_id) < ($7, $8::uuid))
     order by accepted_at desc, notification_id desc limit $9`,
    [
      tenantId,
      query.notification_type ?? null,
      query.producer ?? null,
      query.idempotency_key ?? null,
      query.accepted_after ?? null,
      query.accepted_before ?? null,
      query.after?.[0] ?? null,
      query.after?.[1] ?? null,
      query.limit,
    ],
  )
  return rows
}

export async function selectRecord(
  db: Executor,
  tenantId: string,
  id: string,
): Promise<(RecordRow & { payload_json: string }) | undefined> {
  const { rows } = await db.query<RecordRow & { payload_json: string }>(
    `select ${RECORD}, payload_json from records where tenant_id = $1 and notification_id = $2`,
    [tenantId, id],
  )
  return rows[0]
}

export async function countRoutes(
  db: Executor,
  tenantId: string,
  id: string,
): Promise<Partial<Record<RouteStatus, number>>> {
  const { rows } = await db.query<{ status: RouteStatus; count: number }>(
    `select status, count(*)::integer as count from routes where tenant_id = $1 and notification_id = $2
     group by status order by status`,
    [tenantId, id],
  )
  return Object.fromEntries(rows.map(row => [row.status, row.count]))
}

/** One record's routes, by recipient and channel, so that a person's routes stand together. */
export async function selectRecordRoutes(
  db: Executor,
  tenantId: string,
  id: string,
  page: { after: After; limit: number; user_id?: string | undefined },
): Promise<RouteRow[]> {
  const { rows } = await db.query<RouteRow>(
    `select ${ROUTE} from routes r
     where r.tenant_id = $1 and r.notification_id = $2 and ($3::text is null or r.route_id > $3)
       and ($5::text is null or r.user_id = $5)
     order by r.route_id limit $4`,
    [tenantId, id, page.after?.[0] ?? null, page.limit, page.user_id ?? null],
  )
  return rows
}

/** Ids are made by the clocks of processes before their intents wait to be accepted; routes are dated by the database. */
const CLOCKS_APART_MS = 3_600_000

/**
 * No record before this one has routes made after the time. Routes come with their record, whose id tells about when,
 * but for large audiences and for digests whose first item went out at once: those get them later. Digests that are open
 * for no longer than clocks may be apart need no look, and none is for more than a month. A question of its own, because only a known value lets the planner see how few rows are behind it.
 */
async function selectFirstSince(db: Executor, tenantId: string, time: string): Promise<string> {
  const ms = Math.max(0, Date.parse(time) - CLOCKS_APART_MS)
  const { rows } = await db.query<{ id: string }>(
    `select least($3::uuid, (
       select (array_agg(r.notification_id order by r.notification_id))[1] from records r
       where r.tenant_id = $1 and r.expanded_at > r.accepted_at and r.expanded_at > $2
     ), (
       select e.notification_id from expansions e where e.tenant_id = $1 order by e.notification_id limit 1
     ), (
       select (array_agg(d.id order by d.id))[1] from digests d
       where d.tenant_id = $1 and d.first_notification_id is not null
         and d.closes_at - d.created_at > interval '1 hour' and d.created_at <= $2
         and d.closes_at > $2 and d.closes_at < $2::timestamptz + interval '31 days'
     )) as id`,
    [tenantId, time, `${ms.toString(16).padStart(12, '0')}00000000000000000000`],
  )
  return rows[0]!.id
}

/** Newest first. Ids are time-ordered, so the key itself is the order. */
export async function selectRoutes(
  db: Executor,
  tenantId: string,
  query: {
    status?: string | undefined
    channel?: string | undefined
    user_id?: string | undefined
    notification_type?: string | undefined
    provider?: string | undefined
    created_after?: string | undefined
    created_before?: string | undefined
    after: After
    limit: number
  },
): Promise<RouteRow[]> {
  const first = query.created_after && (await selectFirstSince(db, tenantId, query.created_after))
  const { rows } = await db.query<RouteRow>(
    `select ${ROUTE} from routes r
     where r.tenant_id = $1 and ($2::text is null or r.status = $2) and ($3::text is null or r.channel = $3)
       and ($4::text is null or r.user_id = $4) and ($5::text is null or r.provider = $5)
       and ($6::text is null or exists (select from records x where x.tenant_id = r.tenant_id
         and x.notification_id = r.notification_id and x.notification_type = $6))
       and ($7::timestamptz is null or r.created_at > $7 and r.notification_id >= $12)
       and ($8::timestamptz is null or r.created_at < $8)
       and ($9::uuid is null or (r.notification_id, r.route_id) < ($9, $10))
       -- what a check of the table says too, and what lets the few that wait be found by their index
       and ($2::text is distinct from 'pending' or r.next_attempt_at is not null)
     order by r.notification_id desc, r.route_id desc limit $11`,
    [
      tenantId,
      query.status ?? null,
      query.channel ?? null,
      query.user_id ?? null,
      query.provider ?? null,
      query.notification_type ?? null,
      query.created_after ?? null,
      query.created_before ?? null,
      query.after?.[0] ?? null,
      query.after?.[1] ?? null,
      query.limit,
      first ?? null,
    ],
  )
  return rows
}

/** Every attempt of the given routes of one record, oldest first. */
export async function selectAttempts(
  db: Executor,
  tenantId: string,
  id: string,
  routeIds: string[],
): Promise<AttemptRow[]> {
  const { rows } = await db.query<AttemptRow>(
    `select ${ATTEMPT} from route_attempts
     where tenant_id = $1 and notification_id = $2 and route_id = any ($3::text[])
     order by route_id, attempt_no`,
    [tenantId, id, routeIds],
  )
  return rows
}

export interface LetterEventRow {
  route_id: string
  created_at: Date
  failure_reason: string
  recovery_hint: string
  resolution: string | null
  resolved_at: Date | null
  resolved_by: string | null
}

export async function selectLetters(
  db: Executor,
  tenantId: string,
  id: string,
  routeIds: string[],
): Promise<LetterEventRow[]> {
  const { rows } = await db.query<LetterEventRow>(
    `select route_id, created_at, failure_reason, recovery_hint, resolution, resolved_at, resolved_by from dead_letters
     where tenant_id = $1 and notification_id = $2 and route_id = any ($3::text[])
     order by created_at`,
    [tenantId, id, routeIds],
  )
  return rows
}

/** Ends the expansion of a large audience, after the chunk in work; answers whether there was one. */
export async function stopExpansion(db: Executor, tenantId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'delete from expansions where tenant_id = $1 and notification_id = $2',
    [tenantId, id],
  )
  return rowCount === 1
}

/**
 * Cancels what waits, also in a digest that is still open. What is being sent right now cannot be called back, but will not be retried. Webhooks are told of
 * each cancelled route, and of the record itself when routes were still to come.
 */
export async function cancelRecord(db: Executor, tenantId: string, id: string, wasExpanding: boolean) {
  const { rows } = await db.query<{ cancelled: number; in_flight: number; finished: number }>(
    `with marked as (
       update records set cancelled_at = coalesce(cancelled_at, now()), expanded_at = coalesce(expanded_at, now()), updated_at = now()
       where tenant_id = $1 and notification_id = $2
     ), open as materialized (
       select route_id, lease_until > now() as is_leased, case when next_attempt_at is null then digest_id end as digest_id
       from routes where tenant_id = $1 and notification_id = $2 and (next_attempt_at is not null or reason = 'digested')
       for update
     ), gathered as materialized (
       -- the lock keeps the digest from closing with what is cancelled here
       select id from digests where tenant_id = $1 and closed_at is null and id = any (array(select digest_id from open))
       for share
     ), cancelled as (
       update routes r set status = 'cancelled', cancelled_at = now(), next_attempt_at = null, lease_owner = null,
         lease_until = null, skipped_at = null, reason = 'cancelled', updated_at = now()
       from open o where r.tenant_id = $1 and r.notification_id = $2 and r.route_id = o.route_id
         and o.is_leased is not true and (o.digest_id is null or o.digest_id in (select id from gathered))
       returning r.route_id, r.user_id
     ), told as (
       select emit_events(jsonb_agg(jsonb_build_object('event', 'notification.cancelled', 'tenant_id', $1::uuid,
         'notification_id', $2::uuid, 'route_id', route_id)))
       from (
         select route_id, array[user_id] as people from cancelled
         union all
         select null, case audience_kind when 'users' then recipients end from records
         where $3 and tenant_id = $1 and notification_id = $2
       ) subject
       where exists (select from endpoints_for($1, 'notification.cancelled', subject.people))
     )
     select (select count(*) from cancelled)::integer as cancelled, (select count(*) from told)::integer as told,
       (select count(*) from open where is_leased)::integer as in_flight,
       (select count(*) from routes where tenant_id = $1 and notification_id = $2 and next_attempt_at is null)::integer
         - (select count(*) from open where digest_id in (select id from gathered))::integer as finished`,
    [tenantId, id, wasExpanding],
  )
  const { cancelled, in_flight, finished } = rows[0]!
  return { cancelled, in_flight, finished }
}
