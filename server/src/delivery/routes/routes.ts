/** /v1/routes */
import { Attempt, PageOf, Route, RouteQuery } from '@carillon/contract'
import { z } from 'zod'
import type { Pool } from '../../platform/database/pool.ts'
import { decodeCursor, toPage } from '../../platform/http/page.ts'
import type { App } from '../../platform/http/server.ts'
import { listAttempts } from './attempts.ts'
import { selectRoutes, toRoute } from './list.ts'

export function routeRoutes(app: App, pool: Pool): void {
  app.get(
    '/v1/routes',
    {
      config: { scope: 'records:read' },
      schema: {
        tags: ['routes'],
        summary: 'Routes, newest first',
        querystring: RouteQuery,
        response: { 200: PageOf(Route) },
      },
    },
    async request => {
      const { limit, cursor, ...filter } = request.query
      const after = decodeCursor(cursor, ['uuid', 'text'])
      const rows = await selectRoutes(pool, request.principal.tenant_id, {
        ...filter,
        after,
        limit: limit + 1,
      })
      return toPage(rows, limit, row => [row.notification_id, row.route_id], toRoute)
    },
  )
  app.get(
    '/v1/routes/attempts',
    {
      config: { scope: 'records:read' },
      schema: {
        tags: ['routes'],
        summary: 'Every attempt of a route',
        querystring: z.object({ notification_id: z.uuid(), route_id: z.string().min(1).max(1000) }),
        response: { 200: z.object({ data: z.array(Attempt) }) },
      },
    },
    async request => {
      const { notification_id, route_id } = request.query
      return { data: await listAttempts(pool, request.principal.tenant_id, notification_id, route_id) }
    },
  )
}
