/** /v1/metrics */
import { Metric, MetricQuery, MetricSeries, MetricSeriesQuery, Overview, PageOf } from '@carillon/contract'
import { isPermitted } from '../../platform/calls/principal.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { type CursorKey, decodeCursor, toPage } from '../../platform/http/page.ts'
import type { App } from '../../platform/http/server.ts'
import { getOverview } from './overview.ts'
import { type MetricPosition, type MetricRow, selectMetrics } from './queries.ts'
import { getSeries } from './series.ts'

const tags = ['metrics']

export function metricRoutes(app: App, pool: Pool): void {
  app.get(
    '/v1/metrics',
    {
      config: { scope: 'metrics:read' },
      schema: {
        tags,
        summary: 'What happened to the notifications of each hour or day, newest first',
        querystring: MetricQuery,
        response: { 200: PageOf(Metric) },
      },
    },
    async request => {
      const { limit, cursor, ...filter } = request.query
      const after = toPosition(decodeCursor(cursor, ['time', 'text', 'text', 'text']))
      const rows = await selectMetrics(pool, request.principal.tenant_id, {
        ...filter,
        after,
        limit: limit + 1,
      })
      return toPage(rows, limit, toKey, toMetric)
    },
  )
  app.get(
    '/v1/metrics/overview',
    {
      config: { scope: 'metrics:read' },
      schema: {
        tags,
        summary: 'The last 24 hours, what is due, stuck or open, and how providers are doing',
        response: { 200: Overview },
      },
    },
    async request =>
      getOverview(pool, request.principal.tenant_id, isPermitted(request.principal, 'instance')),
  )
  app.get(
    '/v1/metrics/series',
    {
      config: { scope: 'metrics:read' },
      schema: {
        tags,
        summary: 'Counts and delivery times of every hour or day between two times',
        querystring: MetricSeriesQuery,
        response: { 200: MetricSeries },
      },
    },
    async request => getSeries(pool, request.principal.tenant_id, request.query),
  )
}

function toMetric(row: MetricRow): Metric {
  return {
    ...row,
    avg_delivery_ms: row.avg_delivery_ms === null ? null : Number(row.avg_delivery_ms),
    updated_at: row.updated_at.toISOString(),
  }
}

function toKey({ date, hour, provider, channel, notification_type }: MetricRow): CursorKey {
  const start = `${date}T${String(hour ?? 0).padStart(2, '0')}:00:00Z`
  return [start, provider, channel, notification_type]
}

function toPosition(key: CursorKey | undefined): MetricPosition | undefined {
  if (key === undefined) return undefined
  const [start, provider, channel, notification_type] = key.map(String) as [string, string, string, string]
  const at = new Date(start)
  return { date: at.toISOString().slice(0, 10), hour: at.getUTCHours(), provider, channel, notification_type }
}
