/** GET /v1/email-log */
import { EmailLogQuery, LoggedEmail, PageOf } from '@carillon/contract'
import type { Pool } from '../../platform/database/pool.ts'
import { decodeCursor, toPage } from '../../platform/http/page.ts'
import type { App } from '../../platform/http/server.ts'
import { type LoggedEmailRow, selectLoggedEmails } from './queries.ts'

export function emailLogRoutes(app: App, pool: Pool): void {
  app.get(
    '/v1/email-log',
    {
      config: { scope: 'email_log:read' },
      schema: {
        tags: ['email-log'],
        summary: 'List the mails about threads and events that a person got, newest first',
        querystring: EmailLogQuery,
        response: { 200: PageOf(LoggedEmail) },
      },
    },
    async request => {
      const { limit, cursor, user_id } = request.query
      const after = decodeCursor(cursor, ['time', 'integer'])
      const query = { user_id, after, limit: limit + 1 }
      const rows = await selectLoggedEmails(pool, request.principal.tenant_id, query)
      // Since it was sent, a mail counts from that time.
      return toPage(rows, limit, row => [row.sent_at.toISOString(), row.id], toLoggedEmail)
    },
  )
}

function toLoggedEmail(row: LoggedEmailRow): LoggedEmail {
  return {
    id: row.id,
    user_id: row.user_id,
    notification_id: row.record_id,
    route_id: row.route_id,
    inbox_id: row.notification_id,
    thread: row.thread,
    message_id: row.message_id,
    sent_at: row.sent_at.toISOString(),
  }
}
