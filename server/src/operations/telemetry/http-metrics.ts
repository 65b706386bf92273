/** How many requests were served and how long they took. */
import { Histogram, type Registry } from 'prom-client'
import type { ServedRequest } from '../../platform/calls/served-request.ts'

/** Paths that nobody serves are one series: anybody can ask for any number of them. */
const NO_ROUTE = 'none'

export function createHttpMetrics(register: Registry): (served: ServedRequest) => void {
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Duration of HTTP requests by method, route pattern and class of status',
    labelNames: ['method', 'route', 'status_class'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 30],
    registers: [register],
  })
  return ({ method, route, status, durationMs }) =>
    duration.observe(
      { method, route: route || NO_ROUTE, status_class: `${Math.floor(status / 100)}xx` },
      durationMs / 1000,
    )
}
