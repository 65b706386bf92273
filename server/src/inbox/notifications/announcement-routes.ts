/** /v1/notifications */
import { NewNotification, Notification, NotificationQuery, PageOf } from '@carillon/contract'
import { z } from 'zod'
import { type AuditedRequest, audited } from '../../oversight/audit-logs/audit-logs.ts'
import { notFound, Refusal } from '../../platform/calls/refusal.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { decodeCursor, toPage } from '../../platform/http/page.ts'
import type { App } from '../../platform/http/server.ts'
import type { InboxParts } from './action-routes.ts'
import {
  insertAnnouncement,
  selectAnnouncementByKey,
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
        response: { 200: Notification, 201: Notification },
      },
    },
    async (request, reply) => {
      const { tenant_id } = request.principal
      const announcement = withKey(request.body, request.headers['idempotency-key'])
      // Before anything is refused: its time may be over by now.
      const known = await findEarlier(pool, tenant_id, announcement)
      if (known === undefined) refusePast(announcement.expires_at)
      const created = known === undefined ? await announce(pool, request, announcement) : undefined
      if (created === undefined) {
        // Nothing has changed.
        request.isAudited = true
        return reply.status(200).send(known ?? (await findEarlier(pool, tenant_id, announcement))!)
      }
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

function withKey(body: NewNotification, header: string | string[] | undefined): NewNotification {
  const idempotency_key = body.idempotency_key ?? header
  return typeof idempotency_key === 'string' && idempotency_key !== '' ? { ...body, idempotency_key } : body
}

/** undefined if somebody else with the same key was faster: then nothing was changed, and nothing is written down. */
async function announce(
  pool: Pool,
  request: AuditedRequest,
  announcement: NewNotification,
): Promise<Notification | undefined> {
  class Repeated extends Error {}
  return audited(pool, request, { type: 'notification' }, async tx => {
    const row = await insertAnnouncement(tx, request.principal.tenant_id, announcement)
    if (row === undefined) throw new Repeated()
    return toNotification(row)
  }).catch(error => {
    if (error instanceof Repeated) return undefined
    throw error
  })
}

async function findEarlier(
  pool: Pool,
  tenantId: string,
  announcement: NewNotification,
): Promise<Notification | undefined> {
  if (announcement.idempotency_key === undefined) return undefined
  const row = await selectAnnouncementByKey(pool, tenantId, announcement)
  if (row?.is_same === false)
    throw new Refusal(
      'idempotency_conflict',
      'The key was used for another notification; that one stays as it was.',
    )
  return row && toNotification(row)
}

function refusePast(expiresAt: string | undefined): void {
  if (expiresAt === undefined || Date.parse(expiresAt) > Date.now()) return
  throw new Refusal('invalid_timestamp', 'expires_at: expected a time in the future.', [
    { field: 'expires_at', message: 'Expected a time in the future.' },
  ])
}
