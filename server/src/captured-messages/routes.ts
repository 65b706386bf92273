/** GET /v1/captured-messages */
import { CapturedMessage, CapturedMessageQuery, PageOf } from '@carillon/contract'
import type { Pool } from '../db/pool.ts'
import { decodeCursor, toPage } from '../http/page.ts'
import type { App } from '../http/server.ts'
import { selectCapturedMessages } from './captured-messages.ts'

export function capturedMessageRoutes(app: App, pool: Pool): void {
  app.get(
    '/v1/captured-messages',
    {
      config: { scope: 'captured_messages:read' },
      schema: {
        tags: ['captured messages'],
        summary: 'What the capture provider would have sent',
        querystring: CapturedMessageQuery,
        response: { 200: PageOf(CapturedMessage) },
      },
    },
    async request => {
      const { limit, cursor, ...filter } = request.query
      const after = decodeCursor(cursor, ['time', 'text'])
      const rows = await selectCapturedMessages(pool, request.principal.tenant_id, {
        ...filter,
        after,
        limit: limit + 1,
      })
      return toPage(
        rows,
        limit,
        row => [row.captured_at.toISOString(), row.message_id],
        row => ({ ...row, captured_at: row.captured_at.toISOString() }),
      )
    },
  )
}
