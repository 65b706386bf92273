/** Audit logs, keys, limits, metrics and providers as after some months: does each named query use its index? */
import { beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { fillDatabase, ROWS } from '../../../test/full-database.ts'
import { expectIndex, type PlanCase, readingOf, statementsOf } from '../../../test/plans.ts'
import { selectTranslations, selectTranslationTimes } from '../../content/translations/queries.ts'
import { selectHoursToCount } from '../../operations/metrics/count-hours.ts'
import {
  countOpenLetters,
  countStuckRoutes,
  selectLastHours,
  selectMetrics,
  selectProviderPerformance,
} from '../../operations/metrics/queries.ts'
import { sweepRetention } from '../../operations/retention/retention.ts'
import { selectApiKeys } from '../../oversight/api-keys/queries.ts'
import { selectAuditLogs } from '../../oversight/audit-logs/queries.ts'
import { countRequests, countTry } from '../../oversight/limits/queries.ts'
import {
  selectActiveProviderConfigs,
  selectProviderConfigs,
} from '../../providers/provider-configs/queries.ts'
import type { Pool } from './pool.ts'

const carillon = useCarillon()
const UUID = '01900000-0000-7000-8000-000000000000'
const tenant = () => carillon.tenantId

beforeAll(() =>
  fillDatabase(
    carillon.pool,
    tenant(),
    ['users', 'api_keys', 'records', 'routes', 'dead_letters'],
    [
      `insert into audit_logs (id, tenant_id, user_id, action, resource_type, resource_id, created_at)
     select gen_random_uuid(), $tenant, 'u' || 1 + n % 1000, 'a' || n % 200, 't' || n % 20, 'r' || n,
       now() - make_interval(secs => n) from generate_series(1, $rows) n`,
      `insert into rate_limits (tenant_id, user_id, api_key_id, limit_type, window_start, request_count)
     select $tenant, case when n % 2 = 0 then 'u' || 1 + n % 1000 end, case when n % 2 = 1 then k.id end, 'api',
       date_trunc('minute', now()) - make_interval(mins => n / 1000), 1
     from (select id, (row_number() over (order by id))::integer as n from api_keys) k on conflict do nothing`,
      `insert into limit_counters (tenant_id, key_hash, tries, expires_at)
     select $tenant, encode(sha256(n::text::bytea), 'hex'), 1, now() + make_interval(mins => n - 100)
     from generate_series(1, $rows) n`,
      `insert into notification_metrics (tenant_id, date, hour, provider, channel, notification_type, sent, failed, pending,
       skipped, cancelled, expired, delivery_ms_total, updated_at)
     select $tenant, (now() - make_interval(hours => n / 50))::date, extract(hour from now() - make_interval(hours => n / 50)),
       'p' || n % 50, case n % 50 when 0 then 'push' else 'email' end, 't' || n % 50, 1, 0,
       case n % 5000 when 0 then 1 else 0 end, 0, 0, 0, 5, now() - make_interval(hours => n / 50)
     from generate_series(1, $rows) n`,
      "insert into tenants (id, name) select gen_random_uuid(), 'tenant ' || n from generate_series(1, 10000) n",
      `insert into provider_configs (id, tenant_id, name, kind, channel, config, secrets, is_active, priority)
     select gen_random_uuid(), t.id, 'p' || n, 'smtp', 'email', '{}', 'v1.k.x', n % 2 = 0, n
     from tenants t, generate_series(1, 10) n`,
      `insert into translations (tenant_id, locale, messages)
     select t.id, 'x' || n, '{"hello": "Hello"}' from tenants t, generate_series(1, 10) n`,
    ],
  ),
)

const page = { after: undefined, limit: 21 }
const next = { after: ['2026-01-01T00:00:00Z', UUID], limit: 21 }
const logs = (filter: object) => (db: Pool) => selectAuditLogs(db, tenant(), { ...page, ...filter })
const keys = (filter: object) => (db: Pool) =>
  selectApiKeys(db, tenant(), { ...page, state: 'all', ...filter })
const metrics = (filter: object) => (db: Pool) =>
  selectMetrics(db, tenant(), { period: 'hour', ...page, ...filter })

const CASES: PlanCase[] = [
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
  ['S002-33 providers by name', 'provider_configs_name_key', db => selectProviderConfigs(db, tenant())],
  [
    'S002-33 active providers by priority',
    'provider_configs_choice',
    db => selectActiveProviderConfigs(db, tenant()),
  ],
  ['S002-32 the last 24 hours', 'notification_metrics_key', db => selectLastHours(db, tenant())],
  ['S002-32 what is stuck', 'routes_due', db => countStuckRoutes(db, tenant())],
  ['S002-32 open letters', 'dead_letters_(one_)?open', db => countOpenLetters(db, tenant())],
  ['S002-32 providers of an hour', 'records_listing', db => selectProviderPerformance(db, tenant())],
  ['S002-33 S002-25 the count of a user', 'rate_limits_key', requestsOf({ user_id: 'u7' })],
  ['S002-33 S002-25 the count of a key', 'rate_limits_(api_)?key', requestsOf({ user_id: null })],
  ['the tries of a key', 'limit_counters_pkey', tries],
  ['one language of a tenant', 'translations_pkey', db => selectTranslations(db, tenant(), ['x1', 'x2'])],
  ['the languages of a tenant', 'translations_pkey', db => selectTranslationTimes(db, tenant())],
]

function requestsOf(caller: { user_id: string | null }) {
  return async (db: Pool) => {
    const { rows } = await carillon.pool.query('select id from api_keys limit 1')
    const asked = {
      limit_type: 'api',
      window_seconds: 60,
      limit: 9,
      wanted: 1,
      known: { used: 0, ms: 0 },
    } as const
    return countRequests(
      db,
      [{ caller: { tenant_id: tenant(), api_key_id: rows[0].id, ...caller }, ...asked }],
      null,
    )
  }
}

function tries(db: Pool) {
  const key_hash = 'a'.repeat(64)
  return countTry(
    db,
    { tenant_id: tenant(), key_hash, limit: 5, window_seconds: 60, known: { used: 0, ms: 0 } },
    null,
  )
}

describe(`with ${ROWS} rows`, () => {
  it.each(CASES)('%s: uses %s and reads few pages', (_name, index, call) =>
    expectIndex(carillon.pool, index, call),
  )

  it('S002-23 hours to count are found by what is open and what was replayed, not by reading all figures', async () => {
    const { whole, indexes } = await readingOf(carillon.pool, db =>
      selectHoursToCount(db, tenant(), null, 100),
    )
    expect(whole).toEqual([])
    for (const index of ['notification_metrics_open', 'dead_letters_replayed'])
      expect(indexes).toContain(index)
  })

  it('S002-25 S002-26 the sweeps go along their indexes', async () => {
    const used = new Set<string>()
    for (const { text, values } of await statementsOf(db => sweepRetention(db))) {
      const { whole, indexes } = await readingOf(carillon.pool, db => db.query(text, values))
      // every tenant has its own time
      expect([text, whole.filter(table => table !== 'tenants')]).toEqual([text, []])
      for (const index of indexes) used.add(index)
    }
    for (const index of ['audit_logs_listing', 'rate_limits_old', 'limit_counters_expired']) {
      expect(used).toContain(index)
    }
  })
})
