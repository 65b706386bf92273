/** GET /v1/events/{event_id}/explain */
import { EventExplainQuery, EventExplanation } from '@carillon/contract'
import { z } from 'zod'
import type { Visibility } from '../../inbox/visibility/visibility.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { decodeCursor, encodeCursor } from '../../platform/http/page.ts'
import type { App } from '../../platform/http/server.ts'
import { explainEvent } from './explain-event.ts'

export function eventExplanationRoutes(app: App, pool: Pool, visibility: Pick<Visibility, 'isAsked'>): void {
  app.get(
    '/v1/events/:event_id/explain',
    {
      config: { scope: 'events:read' },
      schema: {
        tags: ['events'],
        summary: 'What became of an event: who was told by which rule, or why not',
        params: z.object({ event_id: z.uuid() }),
        querystring: EventExplainQuery,
        response: { 200: EventExplanation },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      const { limit, cursor, user_id } = request.query
      const after = String(decodeCursor(cursor, ['text'])?.[0] ?? '')
      const isAsked = await visibility.isAsked(tenant_id)
      const { explanation, lastUserId } = await explainEvent(pool, tenant_id, request.params.event_id, {
        ...{ after, limit, user_id, isAsked },
      })
      return { ...explanation, next_cursor: lastUserId === undefined ? null : encodeCursor([lastUserId]) }
    },
  )
}
