import { expect, it } from 'vitest'
import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans, PAGE, readingOf, scansDuring } from '../../../test/plans.ts'
import { countOpenEvents } from '../../oversight/system-events/system-events.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { selectHoursToCount } from './count-hours.ts'
import {
  countDueRoutes,
  countOpenLetters,
  countStuckRoutes,
  selectLastHours,
  selectMetrics,
  selectProviderPerformance,
} from './queries.ts'
import { selectSteps } from './series-queries.ts'

const full = useFullDatabase()
const tenant = () => full.tenantId
const metrics = (filter: object) => (db: Pool) =>
  selectMetrics(db, tenant(), { period: 'hour', ...PAGE, ...filter })

const HOUR = 3_600_000
const steps = (filter: object) => (db: Pool) => {
  const end = Math.ceil(Date.now() / HOUR) * HOUR
  const starts = Array.from({ length: 24 }, (_, n) => new Date(end - (24 - n) * HOUR))
  return selectSteps(db, tenant(), { step: 'hour', zone: 'UTC', starts, end: new Date(end), ...filter })
}

/** As a person asks them in psql, of one tenant and of all. */
const VIEWS = [
  ...['monitoring_hours', 'monitoring_status_24h', 'monitoring_stuck'],
  ...['monitoring_dead_letters', 'monitoring_providers_1h'],
]

describePlans(full, [
  ['metrics by date and hour', 'notification_metrics_key', metrics({}), ['S002-33']],
  [
    'metrics of a day',
    'notification_metrics_key',
    metrics({ from: '2026-01-01', to: '2026-01-01' }),
    ['S002-33'],
  ],
  ['metrics of a provider', 'notification_metrics_provider', metrics({ provider: 'p7' }), ['S002-33']],
  ['metrics of a channel', 'notification_metrics_channel', metrics({ channel: 'push' }), ['S002-33']],
  ['metrics of a type', 'notification_metrics_type', metrics({ notification_type: 't7' }), ['S002-33']],
  ['the last 24 hours', 'notification_metrics_key', db => selectLastHours(db, tenant()), ['S002-32']],
  ['stuck routes', 'routes_due', db => countStuckRoutes(db, tenant()), ['S002-32']],
  ['due routes', 'routes_due', db => countDueRoutes(db, tenant())],
  ['open system events', 'admin_system_events_open', db => countOpenEvents(db, tenant(), true)],
  ['a series of hours', 'notification_metrics_(channel|key)', steps({})],
  ['a series of a channel', 'notification_metrics_(channel|key)', steps({ channel: 'push' })],
  ['a series of days', 'notification_metrics_(channel|key)', steps({ step: 'day' })],
  ['open dead letters', 'dead_letters_(one_)?open', db => countOpenLetters(db, tenant()), ['S002-32']],
  [
    'providers of the last hour',
    'records_listing',
    db => selectProviderPerformance(db, tenant()),
    ['S002-32'],
  ],
])

it('the hours to count are found by open and replayed routes, without reading all figures', {
  tags: 'S002-23',
}, async () => {
  const { whole, indexes } = await readingOf(full.pool, db => selectHoursToCount(db, tenant(), null, 100))
  expect(whole).toEqual([])
  for (const index of ['notification_metrics_open', 'dead_letters_replayed']) expect(indexes).toContain(index)
})

it.each(VIEWS)(
  'the view %s reads no large table from end to end, of one tenant or of all',
  { tags: 'S002-32' },
  async view => {
    const one = await scansDuring(full.pool, db =>
      db.query(`select * from ${view} where tenant_id = $1`, [tenant()]),
    )
    expect(one.whole).toEqual([])
    const all = await scansDuring(full.pool, db => db.query(`select * from ${view}`))
    expect(all.whole.filter(table => table !== 'tenants')).toEqual([])
  },
)
