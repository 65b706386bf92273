/** /v1/event-consumers */
import { EventConsumerName, EventCursor, EventCursors, ResetEventCursor } from '@carillon/contract'
import { z } from 'zod'
import { audited } from '../../oversight/audit-logs/audit-logs.ts'
import type { Pool } from '../../platform/database/pool.ts'
import type { App } from '../../platform/http/server.ts'
import { getCursor, listCursors, moveCursorTo } from './cursors.ts'

const ConsumerParams = z.object({ name: EventConsumerName })
const tags = ['events']

export function eventConsumerRoutes(app: App, pool: Pool): void {
  app.get(
    '/v1/event-consumers',
    {
      config: { scope: 'events:read' },
      schema: {
        tags,
        summary: 'How far each consumer has read the log of events',
        response: { 200: EventCursors },
      },
    },
    async request => ({ data: await listCursors(pool, request.principal.tenant_id) }),
  )
  app.post(
    '/v1/event-consumers/:name/reset',
    {
      config: { scope: 'events:write' },
      schema: {
        tags,
        summary: 'Have a consumer continue from another place in the log',
        params: ConsumerParams,
        body: ResetEventCursor,
        response: { 200: EventCursor },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      const { name } = request.params
      return audited(
        pool,
        request,
        { type: 'event_consumer', id: name, action: 'reset', before: tx => getCursor(tx, tenant_id, name) },
        tx => moveCursorTo(tx, tenant_id, name, request.body.to_event_id),
      )
    },
  )
}
