/** /v1/notifications */
import { NewNotification, Notification, NotificationQuery, PageOf } from '@carillon/contract'
import { z } from 'zod'
import { audited } from '../../oversight/audit-logs/audit-logs.ts'
import { notFound, Refusal } from '../../platform/calls/refusal.ts'
import { decodeCursor, toPage } from '../../platform/http/page.ts'
import type { App } from '../../platform/http/server.ts'
import type { InboxParts } from './action-routes.ts'
import {
  insertAnnouncement,
  selectAnnouncements,
  takeBackAnnouncement,
  toNotification,
} from './announcements.ts'
import { ItemParams } from './routes.ts'

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
      refusePast(request.body.expires_at)
      const created = await audited(pool, request, { type: 'notification' }, async tx => {
        return toNotification(await insertAnnouncement(tx, tenant_id, request.body))
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
        const row = await takeBackAnnouncement(tx, tenant_id, id)
        if (row === undefined) throw notFound('such notification for everybody')
        return toNotification(row)
      })
      onInbox?.(tenant_id, null)
      return reply.status(204).send(null)
    },
  )
}

function refusePast(expiresAt: string | undefined): void {
  if (expiresAt === undefined || Date.parse(expiresAt) > Date.now()) return
  throw new Refusal('invalid_timestamp', 'expires_at: expected a time in the future.', [
    { field: 'expires_at', message: 'Expected a time in the future.' },
  ])
}
