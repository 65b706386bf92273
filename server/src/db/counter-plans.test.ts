/** Audit logs, keys, limits, metrics and providers as after some months: does each named query use its index? */
import { beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../test/carillon.ts'
import { readingOf, type Statement, statementsOf } from '../../test/full-database.ts'
import { selectApiKeys } from '../access/api-key-queries.ts'
import { selectAuditLogs } from '../audit-logs/queries.ts'
import { sweepRetention } from '../maintenance/retention.ts'
import { selectHoursToCount } from '../metrics/count-hours.ts'
import {
  countOpenLetters,
  countStuckRoutes,
  selectLastHours,
  selectMetrics,
  selectProviderPerformance,
} from '../metrics/queries.ts'
import { selectProviderConfigs } from '../provider-configs/queries.ts'
import type { Pool } from './pool.ts'

const carillon = useCarillon()
const ROWS = 100_000
const UUID = '01900000-0000-7000-8000-000000000000'
const tenant = () => carillon.tenantId

beforeAll(async () => {
  const fill = (sql: string) => carillon.pool.query(sql.replaceAll('$tenant', `'${tenant()}'`))
  await fill(`insert into users (tenant_id, id) select $tenant, 'u' || n from generate_series(1, 1000) n`)
  await fill(`insert into api_keys (id, tenant_id, user_id, name, key_hash, hint, is_active, created_at)
    select gen_random_uuid(), $tenant, 'u' || 1 + n % 1000, 'k', encode(sha256(n::text::bytea), 'hex'), '', n % 20 = 0,
      now() - make_interval(secs => n) from generate_series(1, ${ROWS}) n`)
  await fill(`insert into audit_logs (id, tenant_id, user_id, action, resource_type, resource_id, created_at)
    select gen_random_uuid(), $tenant, 'u' || 1 + n % 1000, 'a' || n % 200, 't' || n % 20, 'r' || n,
      now() - make_interval(secs => n) from generate_series(1, ${ROWS}) n`)
  await fill(`insert into rate_limits (tenant_id, user_id, api_key_id, limit_type, window_start, request_count)
    select $tenant, case when n % 2 = 0 then 'u' || 1 + n % 1000 end, case when n % 2 = 1 then k.id end, 'api',
      date_trunc('minute', now()) - make_interval(mins => n / 1000), 1
    from (select id, (row_number() over (order by id))::integer as n from api_keys) k on conflict do nothing`)
  await fill(`insert into limit_counters (tenant_id, key_hash, tries, expires_at)
    select $tenant, encode(sha256(n::text::bytea), 'hex'), 1, now() + make_interval(mins => n - 100)
    from generate_series(1, ${ROWS}) n`)
  await fill(`insert into notification_metrics (tenant_id, date, hour, provider, channel, notification_type, sent, failed,
      pending, skipped, cancelled, expired, delivery_ms_total, updated_at)
    select $tenant, (now() - make_interval(hours => n / 50))::date, extract(hour from now() - make_interval(hours => n / 50)),
      'p' || n % 50, case n % 50 when 0 then 'push' else 'email' end, 't' || n % 50, 1, 0, case n % 5000 when 0 then 1 else 0 end,
      0, 0, 0, 5, now() - make_interval(hours => n / 50) from generate_series(1, ${ROWS}) n`)
  await fill(`insert into records (tenant_id, notification_id, notification_type, producer, audience_kind, channels,
      payload_json, idempotency_key, request_fingerprint, idempotency_expires_at, source, retry_base_ms, retry_cap_ms,
      accepted_at, expanded_at, updated_at)
    select $tenant, uuid_v7(), 't', 'p', 'users', '{email}', '{}', 'k' || n, '', now(), 'http', 1, 1,
      now() - make_interval(mins => n), now(), now() from generate_series(1, ${ROWS}) n`)
  await fill(`insert into routes (tenant_id, notification_id, route_id, channel, recipient_ref, status, provider, max_attempts,
      next_attempt_at, sent_at, dead_at, created_at, updated_at)
    select tenant_id, notification_id, 'r', 'email', '', s.status, 'p', 5, case s.status when 'pending' then now() end,
      case s.status when 'sent' then now() end, case s.status when 'dead' then now() end, accepted_at, now()
    from (select *, row_number() over () as n from records) x
    cross join lateral (select case when n % 500 = 0 then 'pending' when n % 50 = 1 then 'dead' else 'sent' end) s (status)`)
  await fill(`insert into dead_letters (tenant_id, source_kind, notification_id, route_id, notification_type, channel,
      recipient_ref, final_attempt_count, max_attempts, failure_reason, failure_classification, failure_message,
      created_at, resolved_at, resolution)
    select tenant_id, 'route', notification_id, route_id, 't', channel, '', 1, 1, 'permanent_failure', 'permanent', '',
      created_at, case when n % 50 > 0 then created_at end,
      case when n % 50 > 0 then case when n % 40 = 1 then 'replayed' else 'ignored' end end
    from (select *, row_number() over () as n from routes) r`)
  await carillon.pool.query(
    `insert into tenants (id, name) select gen_random_uuid(), 'tenant ' || n from generate_series(1, 10000) n`,
  )
  await fill(`insert into provider_configs (id, tenant_id, name, kind, channel, config, secrets, is_active, priority)
    select gen_random_uuid(), t.id, 'p' || n, 'smtp', 'email', '{}', 'v1.k.x', n % 2 = 0, n
    from tenants t, generate_series(1, 10) n`)
  await carillon.pool.query('vacuum analyze')
}, 120_000)

const page = { after: undefined, limit: 21 }
const next = { after: ['2026-01-01T00:00:00Z', UUID], limit: 21 }
const logs = (filter: object) => (db: Pool) => selectAuditLogs(db, tenant(), { ...page, ...filter })
const keys = (filter: object) => (db: Pool) =>
  selectApiKeys(db, tenant(), { ...page, state: 'all', ...filter })
const metrics = (filter: object) => (db: Pool) =>
  selectMetrics(db, tenant(), { period: 'hour', ...page, ...filter })

const CASES: [string, string, (db: Pool) => Promise<unknown>][] = [
  ['S002-33 audit logs by time', 'audit_logs_listing', logs({})],
  ['S002-33 the next page', 'audit_logs_listing', logs(next)],
  ['S002-33 audit logs of a day', 'audit_logs_listing', logs({ created_after: '2026-01-01T00:00:00Z' })],
  ['S002-33 audit logs of a user', 'audit_logs_user', logs({ user_id: 'u7' })],
  ['S002-33 audit logs of an action', 'audit_logs_action', logs({ action: 'a7' })],
  [
    'S002-33 audit logs of a resource',
    'audit_logs_resource',
    logs({ resource_type: 't7', resource_id: 'r7' }),
  ],
  ['S002-33 keys', 'api_keys_listing', keys({})],
  ['S002-33 keys of a user', 'api_keys_user', keys({ user_id: 'u7' })],
  ['S002-33 active keys', 'api_keys_active', keys({ state: 'active' })],
  ['S002-33 metrics by date and hour', 'notification_metrics_key', metrics({})],
  ['S002-33 metrics of a day', 'notification_metrics_key', metrics({ from: '2026-01-01', to: '2026-01-01' })],
  ['S002-33 metrics of a provider', 'notification_metrics_provider', metrics({ provider: 'p7' })],
  ['S002-33 metrics of a channel', 'notification_metrics_channel', metrics({ channel: 'push' })],
  ['S002-33 metrics of a type', 'notification_metrics_type', metrics({ notification_type: 't7' })],
  ['S002-33 providers of a tenant', 'provider_configs_name_key', db => selectProviderConfigs(db, tenant())],
  ['S002-32 the last 24 hours', 'notification_metrics_key', db => selectLastHours(db, tenant())],
  ['S002-32 what is stuck', 'routes_due', db => countStuckRoutes(db, tenant())],
  ['S002-32 open letters', 'dead_letters_(one_)?open', db => countOpenLetters(db, tenant())],
  ['S002-32 providers of an hour', 'records_listing', db => selectProviderPerformance(db, tenant())],
  ['S002-23 hours with something open', 'notification_metrics_open', hoursToCount],
  ['S002-23 replayed letters', 'dead_letters_replayed', hoursToCount],
]

function hoursToCount(db: Pool) {
  return selectHoursToCount(db, tenant(), null, 100)
}

const LARGE = [
  'api_keys',
  'audit_logs',
  'dead_letters',
  'limit_counters',
  'notification_metrics',
  'provider_configs',
  'rate_limits',
  'records',
  'routes',
]

async function explain({ text, values }: Statement) {
  const { rows } = await carillon.pool.query(`explain (format json) ${text}`, values)
  const { whole, indexes } = readingOf(rows[0]['QUERY PLAN'][0].Plan)
  return { whole: whole.filter(table => LARGE.includes(table)), indexes }
}

describe(`with ${ROWS} rows`, () => {
  it.each(CASES)('%s: uses %s and reads no table whole', async (_name, index, call) => {
    const [statement] = await statementsOf(call)
    const { whole, indexes } = await explain(statement!)
    expect(whole).toEqual([])
    expect(indexes).toContainEqual(expect.stringMatching(new RegExp(`^${index}$`)))
  })

  it('S002-33 S002-25 the count of a caller is found by its unique key', async () => {
    const before = await scans('rate_limits')
    const asks = [
      {
        ord: 0,
        tenant_id: tenant(),
        user_id: 'u7',
        limit_type: 'api',
        window_seconds: 60,
        allowed: 9,
        wanted: 1,
      },
      {
        ord: 1,
        tenant_id: tenant(),
        api_key_id: await aKey(),
        limit_type: 'api',
        window_seconds: 60,
        allowed: 9,
        wanted: 1,
      },
    ]
    const client = await carillon.pool.connect()
    for (let n = 0; n < 10; n++)
      await client.query('select * from count_requests($1)', [JSON.stringify(asks)])
    await client.query('select pg_stat_force_next_flush()')
    client.release()
    await expect
      .poll(async () => (await scans('rate_limits')).byKey - before.byKey)
      .toBeGreaterThanOrEqual(20)
    expect((await scans('rate_limits')).whole).toBe(before.whole)
  })

  it('S002-25 S002-26 the sweeps go along their indexes', async () => {
    const used = new Set<string>()
    for (const statement of await statementsOf(db => sweepRetention(db))) {
      const { whole, indexes } = await explain(statement)
      expect([statement.text, whole]).toEqual([statement.text, []])
      for (const index of indexes) used.add(index)
    }
    for (const index of ['audit_logs_listing', 'rate_limits_old', 'limit_counters_expired']) {
      expect(used).toContain(index)
    }
  })
})

async function aKey(): Promise<string> {
  return (await carillon.pool.query('select id from api_keys where user_id is not null limit 1')).rows[0].id
}

/** How often the table was read whole, and how often by caller and window. */
async function scans(table: string): Promise<{ whole: number; byKey: number }> {
  const { rows } = await carillon.pool.query(
    `select min(t.seq_scan)::integer as whole, sum(i.idx_scan)::integer as "byKey"
     from pg_stat_user_tables t join pg_stat_user_indexes i using (relid)
     where t.relname = $1 and i.indexrelname <> 'rate_limits_old'`,
    [table],
  )
  return rows[0]
}
