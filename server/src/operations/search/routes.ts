/** GET /v1/search */
import { SearchAnswer, SearchQuery } from '@carillon/contract'
import type { Pool } from '../../platform/database/pool.ts'
import type { App } from '../../platform/http/server.ts'
import { search } from './search.ts'

export function searchRoutes(app: App, pool: Pool): void {
  app.get(
    '/v1/search',
    {
      config: { scope: 'records:read' },
      schema: {
        tags: ['search'],
        summary: 'Where something is, by its id, its key or how its name begins',
        querystring: SearchQuery,
        response: { 200: SearchAnswer },
      },
    },
    async request => ({ data: await search(pool, request.principal, request.query.q) }),
  )
}
