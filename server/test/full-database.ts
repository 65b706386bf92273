/**
 * Many rows in every table that is asked about, nearly all of them finished, as after some months. They are written once
 * per run. Copying them takes a second, so the test files of a worker share a copy, in which everything is rolled back;
 * those that change more have one of their own.
 */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, inject } from 'vitest'
import { createPool, type Pool } from '../src/platform/database/pool.ts'
import { createTestDatabase, databaseUrl, type TestDatabase, templateDatabase } from './database.ts'

/**
 * Enough for the planner to want indexes: of the cases that 100,000 rows find when every index lacks its last column, 30,000
 * find nine of ten, in less than half of the time. `npm run prove` fills in 100,000.
 */
export const ROWS = Number(process.env.CARILLON_TEST_ROWS ?? 30_000)

const fullDatabase = 'carillon_full'
const FILLING = 7_020_033
/** Twenty seconds with 100,000 rows on an idle machine. */
const LONGEST_FILL_MS = 600_000

/** In this order: later tables are filled from earlier ones. */
const TABLES = {
  users: `insert into users (tenant_id, id, email, username)
    select $tenant, 'u' || n, 'u' || n || '@x.io', 'name' || n from generate_series(1, $rows) n`,
  notification_preferences: `insert into notification_preferences (tenant_id, user_id, channel, enabled, frequency_cap)
    select $tenant, 'u' || n, 'email', n % 10 > 0, 5 from generate_series(1, $rows) n`,
  daily_sends: `insert into daily_sends (tenant_id, user_id, channel, day, used, cap, granted)
    select $tenant, 'u' || n, 'email', current_date - n % 3, 1, 5, 1 from generate_series(1, $rows) n`,
  capped_sends: `insert into capped_sends (tenant_id, user_id, channel, category, per, period, used, created_at)
    select $tenant, 'u' || n, 'email', '', 'week', '2026-01-05', 1, now() - make_interval(mins => n)
    from generate_series(1, $rows) n`,
  watches: `insert into watches (tenant_id, topic, user_id, level)
    select $tenant, 't' || n % 50, 'u' || n, 'all' from generate_series(1, $rows) n`,
  notifications: `insert into notifications (id, tenant_id, user_id, type, title, message, is_read, read_at, created_at,
      last_event_at)
    select uuid_v7(), $tenant, case when n > 20 then 'u' || 1 + n % 1000 end, 't', 'title', 'message', n > 20 and n % 50 > 0,
      case when n > 20 and n % 50 > 0 then now() end, now() - make_interval(mins => n), now() - make_interval(mins => n)
    from generate_series(1, $rows) n`,
  // One person has far more than others, nearly all of it read.
  notifications_of_one: `insert into notifications (id, tenant_id, user_id, type, title, message, is_read, read_at, done_at,
      saved_at, snoozed_until, expires_at, thread_kind, thread_id, topic, last_event_at)
    select uuid_v7(), $tenant, 'u7', 't', 'title', 'message', n % 1000 > 0, case when n % 1000 > 0 then now() end,
      case n % 10 when 1 then now() end, case n % 2000 when 2 then now() end,
      case n % 500 when 3 then now() + interval '1 day' end, case n % 500 when 4 then now() + interval '1 day' end,
      'issue', n, 't' || n % 50, now() - make_interval(mins => n)
    from generate_series(1, $rows / 5) n`,
  notification_receipts: `insert into notification_receipts (tenant_id, notification_id, user_id, is_read, read_at)
    select $tenant, e.id, 'u' || n, true, now()
    from (select id from notifications where user_id is null) e, generate_series(1, $rows / 20) n`,
  topics: `insert into topics (tenant_id, topic, visibility)
    select $tenant, 't' || n, 'private' from generate_series(0, 4999) n
    on conflict (tenant_id, topic) do update set visibility = 'private'`,
  topic_members: `insert into topic_members (tenant_id, topic, user_id)
    select $tenant, 't' || n % 5000, 'u' || n from generate_series(1, $rows) n`,
  threads: `insert into threads (tenant_id, kind, id, topic)
    select $tenant, 'issue', n::text, 't' || n % 5000 from generate_series(1, $rows) n`,
  notification_threads: `insert into notification_threads (tenant_id, user_id, thread_kind, thread_id, subscribed, reason)
    select $tenant, 'u' || n, 'issue', n::text, true, 'manual' from generate_series(1, $rows) n`,
  api_keys: `insert into api_keys (id, tenant_id, user_id, name, key_hash, hint, is_active, created_at)
    select gen_random_uuid(), $tenant, 'u' || 1 + n % 1000, 'k', encode(sha256(n::text::bytea), 'hex'), '', n % 20 = 0,
      now() - make_interval(secs => n) from generate_series(1, $rows) n`,
  accounts: `insert into accounts (id, email) select gen_random_uuid(), 'a' || n || '@x.io' from generate_series(1, $rows) n`,
  // Members have keys of their own, which are not among those that people see.
  member_keys: `insert into api_keys (id, tenant_id, name, key_hash, hint, created_at)
    select id, $tenant, 'account', encode(sha256(id::text::bytea), 'hex'), '',
      now() - make_interval(secs => 20 * row_number() over (order by email)) from accounts order by email limit $rows / 20`,
  members: `insert into members (tenant_id, account_id, role, api_key_id)
    select $tenant, a.id, case when row_number() over (order by a.email) <= 5 then 'owner' else 'viewer' end, a.id
    from accounts a join api_keys k on k.tenant_id = $tenant and k.id = a.id`,
  sessions: `insert into sessions (id, token_hash, account_id, last_seen_at, expires_at)
    select gen_random_uuid(), encode(sha256(('s' || id)::bytea), 'hex'), id, now(), now() + interval '14 days' from accounts`,
  invitations: `insert into invitations (tenant_id, id, email, role, token_hash, expires_at, api_key_id)
    select $tenant, gen_random_uuid(), 'i' || n || '@x.io', 'viewer', encode(sha256(('i' || n)::bytea), 'hex'),
      now() + make_interval(mins => n), gen_random_uuid() from generate_series(1, $rows) n`,
  records: `insert into records (tenant_id, notification_id, notification_type, producer, audience_kind, channels,
      payload_json, idempotency_key, request_fingerprint, idempotency_expires_at, source, retry_base_ms, retry_cap_ms,
      accepted_at, expanded_at, updated_at, thread_kind, thread_id)
    select $tenant, (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || substr(md5(n::text), 1, 20))::uuid,
      't' || n % 20, 'p' || n % 5, 'users', '{email}', '{}', 'k' || n, '', now(), 'http', 1, 1, at,
      case n % 1000 when 0 then at + interval '5 minutes' else at end, now(),
      case n % 2000 when 0 then 'issue' end, case n % 2000 when 0 then n::text end
    from generate_series(1, $rows) n, lateral (select now() - make_interval(mins => $rows - n) as at) t`,
  routes: `insert into routes (tenant_id, notification_id, route_id, channel, recipient_ref, user_id, status, provider,
      max_attempts, next_attempt_at, sent_at, dead_at, created_at, updated_at)
    select tenant_id, notification_id, 'r', case n % 3 when 0 then 'push' else 'email' end, 'user:u' || n, 'u' || n,
      s.status, 'p', 5, case s.status when 'pending' then now() end, case s.status when 'sent' then now() end,
      case s.status when 'dead' then now() end, accepted_at, now()
    from (select *, substr(idempotency_key, 2)::integer as n from records) x
    cross join lateral (
      select case when n % 1000 = 0 then 'pending' when n % 50 = 1 then 'dead' else 'sent' end
    ) s (status)`,
  route_attempts: `insert into route_attempts (tenant_id, notification_id, route_id, attempt_no, outcome, worker, started_at)
    select tenant_id, notification_id, route_id, 1, 'sent', 'w', now() from routes`,
  dead_letters: `insert into dead_letters (tenant_id, source_kind, notification_id, route_id, notification_type, channel,
      recipient_ref, final_attempt_count, max_attempts, failure_reason, failure_classification, failure_message,
      created_at, resolved_at, resolution, source, trigger_id, script_id, provider, template)
    select tenant_id, 'route', notification_id, route_id, 't', channel, recipient_ref, 1, 1, 'permanent_failure', 'permanent', '',
      created_at, case when status <> 'dead' then created_at end,
      case when status <> 'dead' then case n % 40 when 0 then 'replayed' else 'ignored' end end,
      case when n % 5 = 1 then 's' || n % 200 else '' end, lpad(to_hex(n % 1000 + 1), 32, 'f')::uuid,
      lpad(to_hex(n % 1000 + 1), 32, 'f')::uuid, provider, ''
    from (select *, substr(user_id, 2)::integer as n from routes) x`,
  archive_months: "select create_archive_months((now() - interval '400 days')::date, now()::date)",
  records_archive: `insert into records_archive (tenant_id, notification_id, notification_type, producer, audience_kind,
      recipients, channels, payload_json, idempotency_key, request_fingerprint, idempotency_expires_at, source, request_id,
      traceparent, retry_base_ms, retry_cap_ms, accepted_at, expanded_at, updated_at, reason, trigger_depth, passes_mute)
    select $tenant, (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || substr(md5(n::text), 1, 20))::uuid,
      't' || n % 20, 'p' || n % 5, 'users', '{}', '{email}', '{}', 'old' || n, '', at, 'http', '', '', 1, 1, at, at, at, '', 0,
      false
    from generate_series(1, $rows / 4) n, lateral (
      select now() - interval '90 days' - make_interval(days => 260) * n * 4 / $rows as at
    ) t`,
  routes_archive: `insert into routes_archive (tenant_id, notification_id, route_id, channel, recipient_ref, user_id,
      resolved_address, resolved_locale, status, reason, attempt_count, max_attempts, claim_count, provider,
      provider_message_id, last_error_classification, last_error_message, created_at, updated_at, sent_at, message_ref, priority)
    select tenant_id, notification_id, 'r', 'email', 'user', 'u' || substr(idempotency_key, 4), '', '', 'sent', '', 1, 5, 1,
      'p', '', '', '', accepted_at, accepted_at, accepted_at, '', 1 from records_archive`,
  route_attempts_archive: `insert into route_attempts_archive (tenant_id, notification_id, route_id, attempt_no, outcome,
      provider, message, worker, started_at, duration_ms, calls)
    select tenant_id, notification_id, route_id, 1, 'sent', '', '', 'w', now(), 0, '[]' from routes_archive`,
  malformed_intents: `insert into malformed_intents (tenant_id, source, source_entry_id, failure_code, failure_message,
      raw_fields, recorded_at)
    select $tenant, 'http', n::text, 'c' || n % 10, '', '{}', now() - make_interval(mins => n)
    from generate_series(1, $rows) n`,
  captured_messages: `insert into captured_messages (tenant_id, message_id, notification_id, route_id, channel,
      notification_type, recipient_ref, address, locale, subject, text, captured_at)
    select tenant_id, notification_id::text, notification_id, 'r', channel, '', '', '', '', '', '', created_at from routes`,
  admin_system_events: `insert into admin_system_events (tenant_id, event_type, severity, description, created_at,
      is_resolved, resolved_at)
    select $tenant, 'e' || n % 10, 'low', '', now() - make_interval(mins => n), n % 100 > 0,
      case when n % 100 > 0 then now() end
    from generate_series(1, $rows) n`,
  digests: `insert into digests (id, tenant_id, notification_type, channel, recipient_ref, user_id, key,
      first_notification_id, closes_at, closed_at, item_count, created_at)
    select notification_id, tenant_id, 't', channel, recipient_ref, user_id, '',
      case when channel = 'push' then notification_id end, created_at + interval '1 hour',
      case when status <> 'pending' then now() end, case when status <> 'pending' then 3 end, created_at from routes`,
  notification_email_log: `insert into notification_email_log (tenant_id, user_id, record_id, route_id, thread_kind,
      thread_id, message_id, sent_at, counted_at, created_at)
    select tenant_id, 'u' || n % 1000, notification_id, route_id, 'issue', (n % 5000)::text, n::text,
      now() - make_interval(mins => n), now() - make_interval(mins => n), now() - make_interval(mins => n)
    from (select *, (row_number() over ())::integer as n from routes) x where n % 1000 > 0`,
  push_tickets: `insert into push_tickets (tenant_id, provider_id, ticket, notification_id, route_id, device_id,
      next_attempt_at, created_at)
    select tenant_id, md5((n % 10)::text)::uuid, n::text, notification_id, 'r', notification_id,
      now() + make_interval(mins => n - 100), now() - make_interval(secs => n)
    from (select *, (row_number() over ())::integer as n from routes) x`,
  throttles: `insert into throttles (tenant_id, notification_type, recipient_ref, key, expires_at)
    select tenant_id, 't', recipient_ref, '', created_at + interval '100 days' from routes`,
  schedules: `insert into schedules (id, tenant_id, name, cron, timezone, intent, producer, next_run_at)
    select uuid_v7(), $tenant, 'n', '@daily', 'UTC', '{}', 'api', now() + make_interval(mins => n - 100)
    from generate_series(1, $rows) n`,
  streams: `insert into streams (tenant_id, name, kind, place, group_name, paused_at)
    select $tenant, 's' || n, 'redis', 'intents', 'carillon', case when n % 2 = 0 then now() end
    from generate_series(1, $rows) n`,
  scripts: `insert into scripts (id, tenant_id, name, version)
    select lpad(to_hex(n), 32, '0')::uuid, $tenant, 's' || n, 1 + n % 3 from generate_series(1, $rows) n`,
  script_versions: `insert into script_versions (tenant_id, script_id, version, source, author_scopes)
    select s.tenant_id, s.id, v, 'log(' || v || ')', '{admin}' from scripts s, generate_series(1, s.version) v`,
  audit_logs: `insert into audit_logs (id, tenant_id, user_id, action, resource_type, resource_id, created_at, account_id)
    select gen_random_uuid(), $tenant, 'u' || 1 + n % 1000, 'a' || n % 200, 't' || n % 20, 'r' || n,
      now() - make_interval(secs => n), case n % 10 when 0 then gen_random_uuid() end from generate_series(1, $rows) n`,
  rate_limits: `insert into rate_limits (tenant_id, user_id, api_key_id, limit_type, window_start, request_count)
    select $tenant, case when n % 2 = 0 then 'u' || 1 + n % 1000 end, case when n % 2 = 1 then k.id end, 'api',
      date_trunc('minute', now()) - make_interval(mins => n / 1000), 1
    from (select id, (row_number() over (order by id))::integer as n from api_keys) k on conflict do nothing`,
  limit_counters: `insert into limit_counters (tenant_id, key_hash, tries, expires_at)
    select $tenant, encode(sha256(n::text::bytea), 'hex'), 1, now() + make_interval(mins => n - 100)
    from generate_series(1, $rows) n`,
  notification_metrics: `insert into notification_metrics (tenant_id, date, hour, provider, channel, notification_type, sent,
      failed, pending, skipped, cancelled, expired, delivery_ms_total, updated_at)
    select $tenant, (now() - make_interval(hours => n / 50))::date, extract(hour from now() - make_interval(hours => n / 50)),
      'p' || n % 50, case n % 50 when 0 then 'push' else 'email' end, 't' || n % 50, 1, 0,
      case n % 5000 when 0 then 1 else 0 end, 0, 0, 0, 5, now() - make_interval(hours => n / 50)
    from generate_series(1, $rows) n`,
  domain_events: `insert into domain_events (tenant_id, event_id, id, kind, producer, actor_id, topic, thread_kind, thread_id,
      idempotency_key, occurred_at, created_at)
    select $tenant, (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || substr(md5(n::text), 1, 20))::uuid,
      case when n <= $rows - 50 then n end, 'k' || n % 200, 'p' || n % 5, 'u' || n % 1000, 't' || n % 500, 'issue',
      (n % 5000)::text, 'key ' || n, at, at
    from generate_series(1, $rows) n, lateral (select now() - make_interval(mins => $rows - n) as at) t`,
  tenants:
    "insert into tenants (id, name) select gen_random_uuid(), 'tenant ' || n from generate_series(1, $rows / 10) n",
  tenant_settings: 'insert into tenant_settings (tenant_id) select id from tenants on conflict do nothing',
  tenant_retention: 'insert into tenant_retention (tenant_id) select id from tenants on conflict do nothing',
  domain_events_processed: `insert into domain_events_processed (tenant_id, consumer, last_event_id, head_id, moved_at)
    select t.id, c, 10, case when random() < 0.001 then 11 else 10 end, now() - interval '1 hour'
    from tenants t, unnest(array['notify_fanout', 'triggers', 'webhooks']) c
    on conflict (tenant_id, consumer) do update set last_event_id = $rows - 1000, head_id = $rows - 50`,
  provider_configs: `insert into provider_configs (id, tenant_id, name, kind, channel, config, secrets, is_active, priority)
    select gen_random_uuid(), t.id, 'p' || n, 'smtp', 'email', '{}', 'v1.k.x', n % 2 = 0, n
    from tenants t, generate_series(1, 10) n`,
  translations: `insert into translations (tenant_id, locale, messages)
    select t.id, 'x' || n, '{"hello": "Hello"}' from tenants t, generate_series(1, 10) n`,
  webhook_deliveries: `insert into webhook_deliveries (tenant_id, id, webhook_id, notification_id, event_id, event_type, payload,
      attempts, delivered, delivered_at, next_retry_at, created_at)
    select $tenant, gen_random_uuid(), lpad(to_hex(n % 50 + 1), 32, 'f')::uuid, gen_random_uuid(), gen_random_uuid(),
      'notification.sent', '{}', '[]', n % 101 <> 0, case when n % 101 <> 0 then now() end,
      case n % 1010 when 0 then now() + interval '1 minute' end, now() - make_interval(mins => n)
    from generate_series(1, $rows) n`,
  outbox: `insert into outbox (id, tenant_id, source_kind, op, target_id, payload, next_attempt_at)
    select gen_random_uuid(), $tenant, 'webhook', 'notification.sent', lpad(to_hex(n % 50 + 1), 32, 'f')::uuid, '{}',
      now() + make_interval(mins => n - $rows + 100)
    from generate_series(1, $rows) n`,
  runs: `insert into runs (id, tenant_id, script_id, script_name, script_version, trigger_id, kind, op, event_id, attempt,
      status, failure_kind, duration_ms, created_at)
    select gen_random_uuid(), $tenant, lpad(to_hex(n % 100 + 1), 32, 'a')::uuid, 's', 1,
      case when n % 10 > 0 then lpad(to_hex(n % 500 + 1), 32, 'b')::uuid end, case n % 10 when 0 then 'invoke' else 'kv' end,
      'update', md5(n::text)::uuid, 1, case n % 100 when 0 then 'failed' else 'succeeded' end,
      case n % 100 when 0 then 'exception' else '' end, 5, now() - make_interval(mins => n)
    from generate_series(1, $rows) n`,
  reply_inboxes: `insert into reply_inboxes (tenant_id, id, outbox_id, script_id, expires_at, status_code, reply_json, replied_at)
    select $tenant, md5(n::text)::uuid, gen_random_uuid(), $tenant, now() + make_interval(secs => n - 1000),
      case n % 2 when 0 then 200 end, case n % 2 when 0 then '1' end, case n % 2 when 0 then now() end
    from generate_series(1, $rows) n`,
  abandoned_executions: `insert into abandoned_executions (tenant_id, id, outbox_id, inbox_id, status_code, created_at)
    select $tenant, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 200, now() - make_interval(secs => n * 6)
    from generate_series(1, $rows) n`,
  kv_entries: `insert into kv_entries (tenant_id, collection, key, value_json, expires_at)
    select $tenant, case when n % 2 = 0 then 'large' else 'c' || n / 100 end, 'k' || n, '{"n": 1}',
      case n % 10 when 0 then now() + make_interval(mins => n - 1000) end
    from generate_series(1, $rows) n`,
}

/**
 * One of fifty that nearly all deliveries and the rows of the outbox are for, and one of a thousand triggers and scripts
 * of dead letters; there is no row of its own.
 */
export const BUSY_WEBHOOK = '1'.padStart(32, 'f').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

export interface FullDatabase {
  readonly pool: Pool
  /** To whom all rows belong. */
  readonly tenantId: string
}

/** For questions, and for statements that are rolled back; use its members inside tests and hooks only. */
export function useFullDatabase(): FullDatabase {
  return useFull(openShared)
}

/** For tests that change rows for good, or depend on how the rows lie on disk. */
export function useOwnFullDatabase(): FullDatabase {
  return useFull(() => createTestDatabase({ template: fullDatabase }))
}

function useFull(open: () => Promise<Pick<TestDatabase, 'pool' | 'drop'>>): FullDatabase {
  let database: Pick<TestDatabase, 'pool' | 'drop'> | undefined
  let tenantId = ''
  beforeAll(async () => {
    await once(fullDatabase, makeFullDatabase)
    database = await open()
    tenantId = (await database.pool.query("select id from tenants where name = 'full'")).rows[0].id
  }, LONGEST_FILL_MS)
  afterAll(() => database?.drop())
  return {
    get pool() {
      if (database === undefined) throw new Error('a full database gives its pool only while tests run')
      return database.pool
    },
    get tenantId() {
      return tenantId
    },
  }
}

/** The copy of this worker. It refuses what is not in a transaction that says it writes, as readingOf() does. */
async function openShared(): Promise<Pick<TestDatabase, 'pool' | 'drop'>> {
  const name = `${fullDatabase}_${process.env.VITEST_POOL_ID}`
  await once(name, server =>
    server.query(`create database ${name} template ${fullDatabase} strategy file_copy`),
  )
  const url = new URL(databaseUrl(inject('postgresUrl'), name))
  url.searchParams.set('options', '-c default_transaction_read_only=on')
  const pool = createPool(url.href)
  return { pool, drop: () => pool.end() }
}

/** Makes the database unless it is there. Whoever comes first does it; the others wait. */
async function once(name: string, make: (server: pg.Client) => Promise<unknown>): Promise<void> {
  const server = new pg.Client(inject('postgresUrl'))
  await server.connect()
  try {
    await server.query('select pg_advisory_lock($1)', [FILLING])
    const found = await server.query('select from pg_database where datname = $1', [name])
    if (found.rowCount === 0) await make(server)
  } finally {
    await server.end()
  }
}

async function makeFullDatabase(server: pg.Client): Promise<void> {
  // under another name until it is full: a run that fails here must not leave half of it to the next file
  await server.query(`drop database if exists ${fullDatabase}_to_be`)
  await server.query(`create database ${fullDatabase}_to_be template ${templateDatabase} strategy file_copy`)
  const pool = createPool(databaseUrl(inject('postgresUrl'), `${fullDatabase}_to_be`))
  const tenantId = randomUUID()
  await pool.query("insert into tenants (id, name) values ($1, 'full')", [tenantId])
  await pool.query('update tenant_settings set accept_unknown_types = true')
  await insert(pool, tenantId, Object.values(TABLES))
  // Empty tables too: the planner supposes some pages in one that has never been vacuumed.
  await pool.query('vacuum analyze')
  await pool.end()
  await server.query(`alter database ${fullDatabase}_to_be rename to ${fullDatabase}`)
}

/** Without foreign keys and triggers, which would take most of the time; the rows are consistent anyway. */
async function insert(pool: Pool, tenantId: string, statements: string[]): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('set session_replication_role = replica')
    for (const sql of statements)
      await client.query(sql.replaceAll('$tenant', `'${tenantId}'`).replaceAll('$rows', String(ROWS)))
  } finally {
    client.release(true)
  }
}

/** Only the tables that it fills get new statistics: those of all take longer than the statements. */
export async function fill(pool: Pool, tenantId: string, statements: string[]): Promise<void> {
  await insert(pool, tenantId, statements)
  const filled = new Set(statements.flatMap(sql => /insert into (\w+)/.exec(sql)?.[1] ?? []))
  await pool.query(`vacuum analyze ${[...filled].join(', ')}`)
}
