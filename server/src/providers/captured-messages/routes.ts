/** GET /v1/captured-messages */
import { CapturedMessage, CapturedMessageQuery, PageOf } from '@carillon/contract'
import { isPermitted } from '../../platform/calls/principal.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { decodeCursor, toPage } from '../../platform/http/page.ts'
import type { App } from '../../platform/http/server.ts'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { type CapturedMessageRow, selectCapturedMessages, withoutSignedLinks } from './captured-messages.ts'

export function capturedMessageRoutes(app: App, pool: Pool, keyring: Keyring): void {
  app.get(
    '/v1/captured-messages',
    {
      config: { scope: 'captured_messages:read' },
      schema: {
        tags: ['captured messages'],
        summary: 'What the capture provider would have sent',
        description:
          'Links to the preference page and to unsubscribe work for keys that may change preferences; for others they lead nowhere.',
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
      const show = isPermitted(request.principal, 'preferences:write')
        ? (row: CapturedMessageRow) => row
        : (row: CapturedMessageRow) => withoutSignedLinks(keyring, row)
      return toPage(
        rows,
        limit,
        row => [row.captured_at.toISOString(), row.message_id],
        row => ({ ...show(row), captured_at: row.captured_at.toISOString() }),
      )
    },
  )
}
