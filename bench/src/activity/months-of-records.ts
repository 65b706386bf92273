/** Three months of an installation: records with their routes, attempts and dead letters, a third of them in the archive. */
import { archiveOnce } from '../../../server/dist/operations/archive/archive.js'
import { rollUpMetrics } from '../../../server/dist/operations/metrics/rollup.js'
import type { Pool } from '../../../server/dist/platform/database/pool.js'
import { PAYLOAD } from '../tenant.ts'

export const DAYS = 90
const HOT_DAYS = 60
const PEOPLE = 50_000

/** They get far more than others: the first of each, as the spread below falls off from there. */
export const BUSIEST = { person: 'person-0', type: 'type-0', producer: 'producer-0' }
/** A type that is sent every day, of which nothing ever failed, and which the busiest person never gets. */
export const FLAWLESS = 'type-1'
/** Sent once to this many people. */
export const ANNOUNCEMENT = { key: 'announcement', people: 20_000 }

/** Inserts sets of rows, without checking references that are correct by construction. */
export async function addMonths(
  pool: Pool,
  tenantId: string,
  { records, openLetters }: { records: number; openLetters: number },
): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query('set local session_replication_role = replica')
    await client.query('select setseed(0.42)')
    await client.query(ADD_PEOPLE, [tenantId, PEOPLE])
    await client.query(ADD_TYPES, [tenantId])
    await client.query(ADD_RECORDS, [
      tenantId,
      records,
      DAYS,
      PEOPLE,
      JSON.stringify(PAYLOAD),
      ANNOUNCEMENT.key,
    ])
    await client.query(ADD_ROUTES, [ANNOUNCEMENT.key, ANNOUNCEMENT.people, FLAWLESS])
    await client.query(ADD_ATTEMPTS)
    await client.query(ADD_LETTERS, [openLetters])
    await client.query('update tenant_retention set record_hot_days = $2 where tenant_id = $1', [
      tenantId,
      HOT_DAYS,
    ])
    await client.query('commit')
  } finally {
    client.release()
  }
  await pool.query('vacuum (analyze)')
  await archiveOnce(pool)
  await rollUpMetrics(pool)
  await pool.query('vacuum (analyze)')
}

const ADD_PEOPLE = `insert into users (tenant_id, id, email, username)
  select $1, 'person-' || n, 'person-' || n || '@example.com', 'name-' || n from generate_series(0, $2 - 1) n`

const ADD_TYPES = `insert into notification_types (tenant_id, name, channels)
  select $1, 'type-' || n, '{email,in_app}' from generate_series(0, 39) n`

/** Ids and times in order, as many at night as by day. A power of a random number spreads what is common and what is rare. */
const ADD_RECORDS = `insert into records (tenant_id, notification_id, notification_type, producer, audience_kind, recipients, channels,
    payload_json, idempotency_key, request_fingerprint, idempotency_expires_at, source, retry_base_ms, retry_cap_ms,
    accepted_at, expanded_at, updated_at, event_id)
  select $1, overlay(gen_random_uuid()::text placing left(at.hex, 8) || '-' || right(at.hex, 4) || '-7' from 1 for 15)::uuid,
    'type-' || of.type, 'producer-' || of.type % 6, 'users',
    array['person-' || case when of.type = 1 then 1 + of.person % ($4::integer - 1) else of.person end],
    case when n % 2 = 0 then '{email,in_app}'::text[] else '{email}' end, $5,
    case when n = $2 / 2 then $6 else 'key-' || n end, repeat('0', 64), at.past, 'http', 10000, 3600000, at.past, at.past, at.past,
    case when n % 20 = 0 then gen_random_uuid() end
  from generate_series(1, $2::integer) n
  cross join lateral (
    select floor(40 * random() ^ 2)::integer as type, floor($4::integer * random() ^ 3)::integer as person,
      now() - make_interval(secs => $3::integer * 86400.0 * ($2 - n) / $2) as past
  ) of
  cross join lateral (select of.past, lpad(to_hex((extract(epoch from of.past) * 1000)::bigint), 12, '0') as hex) at`

/** What was accepted in the last quarter of an hour may still be on its way. */
const ADD_ROUTES = `insert into routes (tenant_id, notification_id, route_id, channel, recipient_ref, user_id, resolved_address,
    resolved_locale, status, reason, attempt_count, claim_count, max_attempts, provider, last_error_classification,
    last_error_message, created_at, updated_at, next_attempt_at, sent_at, dead_at, skipped_at, expired_at)
  select r.tenant_id, r.notification_id, channel || ':user:' || person, channel, 'user:' || person, person,
    person || '@example.com', 'en', s.status, case s.status when 'skipped' then 'preference' else '' end, 1, 1, 7,
    case channel when 'email' then 'smtp' else 'in_app' end,
    case s.status when 'dead' then 'permanent' else '' end, case s.status when 'dead' then 'mailbox unavailable' else '' end,
    accepted_at, done.at,
    case when s.status in ('pending', 'retrying') then now() + interval '1 minute' end,
    case s.status when 'sent' then done.at end, case s.status when 'dead' then done.at end,
    case s.status when 'skipped' then done.at end, case s.status when 'expired' then done.at end
  from (select *, random() as luck from records) r
  cross join lateral unnest(case r.idempotency_key when $1 then
    array(select 'person-' || n from generate_series(0, $2 - 1) n) else r.recipients end) as person
  cross join lateral unnest(r.channels) as channel
  cross join lateral (select case
    when luck < 0.5 and accepted_at > now() - interval '15 minutes' then 'pending'
    when luck < 0.6 and accepted_at > now() - interval '15 minutes' then 'retrying'
    when luck > 0.975 and channel = 'email' and notification_type <> $3 then 'dead'
    when luck > 0.955 then 'skipped' when luck > 0.952 then 'expired' else 'sent' end) s (status)
  cross join lateral (select accepted_at + make_interval(secs => 1 + 5 * luck)) done (at)
  order by r.notification_id`

const ADD_ATTEMPTS = `insert into route_attempts (tenant_id, notification_id, route_id, attempt_no, outcome, provider, worker, started_at,
    duration_ms)
  select tenant_id, notification_id, route_id, 1, case status when 'dead' then 'permanent' else 'sent' end, provider, 'worker',
    updated_at, 120
  from routes where status in ('sent', 'dead') order by notification_id`

/** The newest are open. */
const ADD_LETTERS = `insert into dead_letters (tenant_id, source_kind, notification_id, route_id, notification_type, channel, recipient_ref,
    final_attempt_count, max_attempts, failure_reason, failure_classification, failure_message, created_at, resolved_at,
    resolution, provider, template)
  select o.tenant_id, 'route', o.notification_id, o.route_id, r.notification_type, o.channel, o.recipient_ref, 1, 7,
    case when place % 7 = 0 then 'max_retries_exceeded' else 'permanent_failure' end, 'permanent',
    'mailbox unavailable ' || place % 100, o.dead_at, case when place > $1 then o.dead_at end,
    case when place > $1 then 'ignored' end, o.provider, 'template-' || right(r.notification_type, 1)
  from (select *, row_number() over (order by notification_id desc) as place from routes where status = 'dead') o
  join records r using (tenant_id, notification_id)`
