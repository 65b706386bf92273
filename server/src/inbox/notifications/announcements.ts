/** Notifications for everybody: /v1/notifications. What each person does with them is in receipts. */
import { NewNotification, Notification, NotificationQuery, PageOf } from '@carillon/contract'
import { uuidv7 } from 'uuidv7'
import { z } from 'zod'
import { audited } from '../../oversight/audit-logs/audit-logs.ts'
import { notFound, Refusal } from '../../platform/calls/refusal.ts'
import type { Executor } from '../../platform/database/pool.ts'
import { decodeCursor, toPage } from '../../platform/http/page.ts'
import type { App } from '../../platform/http/server.ts'
import type { InboxParts } from './action-routes.ts'
import { type InboxRow, urlIn } from './item.ts'
import { ItemParams } from './routes.ts'

type AnnouncementRow = Pick<
  InboxRow,
  'id' | 'type' | 'title' | 'message' | 'summary' | 'actions' | 'expires_at' | 'created_at'
>

const COLUMNS = 'id, type, title, message, summary, actions, expires_at, created_at'

export function notificationRoutes(app: App, { pool, onInbox }: InboxParts): void {
  app.post(
    '/v1/notifications',
    {
      config: { scope: 'inbox:write' },
      schema: {
        tags: ['inbox'],
        summary: 'Put a notification into the inbox of everybody in the tenant',
        body: NewNotification,
        response: { 201: Notification },
      },
    },
    async (request, reply) => {
      const { tenant_id } = request.principal
      const { url, expires_at, actions, ...content } = request.body
      refusePast(expires_at)
      const created = await audited(pool, request, { type: 'notification' }, async tx => {
        const { rows } = await tx.query<AnnouncementRow>(
          `insert into notifications (id, tenant_id, type, title, message, summary, actions, expires_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8) returning ${COLUMNS}`,
          [
            uuidv7(),
            tenant_id,
            content.type,
            content.title,
            content.message,
            JSON.stringify(url === undefined ? {} : { url }),
            actions.length === 0 ? null : JSON.stringify(actions),
            expires_at ?? null,
          ],
        )
        return toNotification(rows[0]!)
      })
      onInbox?.(tenant_id, null)
      return reply.status(201).send(created)
    },
  )
  app.get(
    '/v1/notifications',
    {
      config: { scope: 'inbox:read' },
      schema: {
        tags: ['inbox'],
        summary: 'What everybody has in the inbox, newest first',
        querystring: NotificationQuery,
        response: { 200: PageOf(Notification) },
      },
    },
    async request => {
      const { limit, cursor } = request.query
      const after = decodeCursor(cursor, ['time', 'uuid'])
      const rows = await selectAnnouncements(pool, request.principal.tenant_id, after, limit + 1)
      return toPage(rows, limit, row => [row.last_event_at.toISOString(), row.id], toNotification)
    },
  )
  app.delete(
    '/v1/notifications/:id',
    {
      config: { scope: 'inbox:write', whenFull: true },
      schema: {
        tags: ['inbox'],
        summary: 'Take back a notification from everybody',
        params: ItemParams,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { tenant_id } = request.principal
      const { id } = request.params
      await audited(pool, request, { type: 'notification', id, action: 'delete' }, async tx => {
        // Marked and not deleted, so that clients learn of it; the retention sweep deletes it.
        const { rows } = await tx.query<AnnouncementRow>(
          `update notifications set deleted_at = now()
           where tenant_id = $1 and id = $2 and user_id is null and deleted_at is null returning ${COLUMNS}`,
          [tenant_id, id],
        )
        if (rows[0] === undefined) throw notFound(`notification ${id} for everybody`)
        return toNotification(rows[0])
      })
      onInbox?.(tenant_id, null)
      return reply.status(204).send(null)
    },
  )
}

export async function selectAnnouncements(
  db: Executor,
  tenantId: string,
  after: (string | number)[] | undefined,
  limit: number,
): Promise<(AnnouncementRow & { last_event_at: Date })[]> {
  const { rows } = await db.query<AnnouncementRow & { last_event_at: Date }>(
    `select ${COLUMNS}, last_event_at from notifications n
     where n.tenant_id = $1 and n.user_id is null and n.deleted_at is null
       and (n.expires_at is null or n.expires_at > now())
       and ($2::timestamptz is null or (n.last_event_at, n.id) < ($2, $3::uuid))
     order by n.last_event_at desc, n.id desc limit $4`,
    [tenantId, after?.[0] ?? null, after?.[1] ?? null, limit],
  )
  return rows
}

function toNotification({ summary, actions, ...row }: AnnouncementRow): Notification {
  const { id, type, title, message, expires_at, created_at } = row
  return {
    id,
    type,
    title,
    message,
    url: urlIn(summary),
    actions: actions ?? [],
    expires_at: expires_at?.toISOString() ?? null,
    created_at: created_at.toISOString(),
  }
}

function refusePast(expiresAt: string | undefined): void {
  if (expiresAt === undefined || Date.parse(expiresAt) > Date.now()) return
  throw new Refusal('invalid_timestamp', 'expires_at: expected a time in the future.', [
    { field: 'expires_at', message: 'Expected a time in the future.' },
  ])
}
