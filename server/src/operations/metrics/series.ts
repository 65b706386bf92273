/** The series: figures of every hour or day between two times, with percentiles of how long deliveries took. */
import type { MetricSeries, MetricSeriesQuery, SeriesFigures } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'
import { addTo, type Histogram, percentileOf } from './histogram.ts'
import { type StepRow, selectSteps } from './series-queries.ts'
import { stepsOf } from './steps.ts'

const COUNTS = ['sent', 'failed', 'pending', 'skipped', 'cancelled', 'expired'] as const

export async function getSeries(
  db: Executor,
  tenantId: string,
  query: MetricSeriesQuery,
): Promise<MetricSeries> {
  const { starts, end } = stepsOf(query)
  const rows = await selectSteps(db, tenantId, { ...query, starts, end })
  const byStep = new Map(rows.map(row => [row.step, row]))
  return {
    step: query.step,
    from: starts[0]!.toISOString(),
    to: end.toISOString(),
    points: starts.map((at, index) => ({
      at: at.toISOString(),
      ...figuresOf([byStep.get(index + 1) ?? []].flat()),
    })),
    totals: figuresOf(rows),
  }
}

/** The sum of these rows. */
function figuresOf(rows: StepRow[]): SeriesFigures {
  const histogram: Histogram = new Map()
  for (const { delivery_buckets, delivery_counts } of rows)
    addTo(histogram, delivery_buckets, delivery_counts)
  const sum = (name: (typeof COUNTS)[number]) => rows.reduce((total, row) => total + row[name], 0)
  return {
    sent: sum('sent'),
    failed: sum('failed'),
    pending: sum('pending'),
    skipped: sum('skipped'),
    cancelled: sum('cancelled'),
    expired: sum('expired'),
    p50_ms: percentileOf(histogram, 0.5),
    p95_ms: percentileOf(histogram, 0.95),
  }
}
