/** /v1/runs */
import { PageOf, Run, RunDetail, RunQuery } from '@carillon/contract'
import { z } from 'zod'
import type { Pool } from '../../platform/database/pool.ts'
import { decodeCursor, toPage } from '../../platform/http/page.ts'
import type { App } from '../../platform/http/server.ts'
import { selectRuns } from './queries.ts'
import { getRun, toRun } from './runs.ts'

const tags = ['runs']

export function runRoutes(app: App, pool: Pool): void {
  app.get(
    '/v1/runs',
    {
      config: { scope: 'scripts:read' },
      schema: {
        tags,
        summary: 'Runs of scripts, newest first',
        querystring: RunQuery,
        response: { 200: PageOf(Run) },
      },
    },
    async request => {
      const { limit, cursor, ...filter } = request.query
      const after = decodeCursor(cursor, ['time', 'uuid'])
      const query = { ...filter, after, limit: limit + 1 }
      const rows = await selectRuns(pool, request.principal.tenant_id, query)
      return toPage(rows, limit, row => [row.created_at.toISOString(), row.id], toRun)
    },
  )
  app.get(
    '/v1/runs/:id',
    {
      config: { scope: 'scripts:read' },
      schema: {
        tags,
        summary: 'One run with what it logged, did and gave back',
        params: z.object({ id: z.uuid() }),
        response: { 200: RunDetail },
      },
    },
    async request => getRun(pool, request.principal.tenant_id, request.params.id),
  )
}
