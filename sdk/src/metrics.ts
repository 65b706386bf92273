/** Metrics: what happened to notifications, and the current state. */
import type { Metric, MetricQuery, Overview } from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { pagedList } from './pages.ts'

export function createMetrics(send: Send) {
  return {
    ...pagedList<Metric, MetricQuery>(send, '/v1/metrics'),

    /** The last day, what is stuck, open dead letters, and how providers perform. */
    overview(options?: CallOptions): Promise<Overview> {
      return send({ method: 'GET', path: '/v1/metrics/overview', ...options })
    },
  }
}
