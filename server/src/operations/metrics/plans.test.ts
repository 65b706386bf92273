import { expect, it } from 'vitest'
import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans, PAGE, readingOf } from '../../../test/plans.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { selectHoursToCount } from './count-hours.ts'
import {
  countOpenLetters,
  countStuckRoutes,
  selectLastHours,
  selectMetrics,
  selectProviderPerformance,
} from './queries.ts'

const full = useFullDatabase()
const tenant = () => full.tenantId
const metrics = (filter: object) => (db: Pool) =>
  selectMetrics(db, tenant(), { period: 'hour', ...PAGE, ...filter })

describePlans(full, [
  ['S002-33 metrics by date and hour', 'notification_metrics_key', metrics({})],
  ['S002-33 metrics of a day', 'notification_metrics_key', metrics({ from: '2026-01-01', to: '2026-01-01' })],
  ['S002-33 metrics of a provider', 'notification_metrics_provider', metrics({ provider: 'p7' })],
  ['S002-33 metrics of a channel', 'notification_metrics_channel', metrics({ channel: 'push' })],
  ['S002-33 metrics of a type', 'notification_metrics_type', metrics({ notification_type: 't7' })],
  ['S002-32 the last 24 hours', 'notification_metrics_key', db => selectLastHours(db, tenant())],
  ['S002-32 what is stuck', 'routes_due', db => countStuckRoutes(db, tenant())],
  ['S002-32 open letters', 'dead_letters_(one_)?open', db => countOpenLetters(db, tenant())],
  ['S002-32 providers of an hour', 'records_listing', db => selectProviderPerformance(db, tenant())],
])

it('S002-23 hours to count are found by what is open and what was replayed, not by reading all figures', async () => {
  const { whole, indexes } = await readingOf(full.pool, db => selectHoursToCount(db, tenant(), null, 100))
  expect(whole).toEqual([])
  for (const index of ['notification_metrics_open', 'dead_letters_replayed']) expect(indexes).toContain(index)
})
