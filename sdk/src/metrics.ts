/** Metrics: what happened to notifications, and the current state. */
import type { Metric, MetricQuery, MetricSeries, MetricSeriesQuery, Overview } from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { pagedList } from './pages.ts'

export type SeriesQuery = Pick<MetricSeriesQuery, 'from' | 'to'> & Partial<MetricSeriesQuery>

export function createMetrics(send: Send) {
  return {
    ...pagedList<Metric, MetricQuery>(send, '/v1/metrics'),

    /** The last day, what is stuck, open dead letters, and how providers perform. */
    overview(options?: CallOptions): Promise<Overview> {
      return send({ method: 'GET', path: '/v1/metrics/overview', ...options })
    },

    /** Counts and delivery times of every hour or day between two times. */
    series(query: SeriesQuery, options?: CallOptions): Promise<MetricSeries> {
      return send({ method: 'GET', path: '/v1/metrics/series', query, ...options })
    },
  }
}
