/** /v1/notification-types and /v1/topics/{topic}/watch */
import {
  Name,
  NotificationType,
  NotificationTypeInput,
  PageOf,
  PageQuery,
  Watch,
  WatchInput,
} from '@carillon/contract'
import { z } from 'zod'
import { audited } from '../audit-logs/audit-logs.ts'
import { isDatabaseError } from '../db/errors.ts'
import type { Client, Pool } from '../db/pool.ts'
import { decodeCursor, toPage } from '../http/page.ts'
import type { App } from '../http/server.ts'
import { notFound, Refusal } from '../refusal.ts'
import {
  deleteType,
  deleteWatch,
  type NotificationTypeRow,
  selectType,
  selectTypes,
  selectWatch,
  selectWatches,
  upsertType,
  upsertWatch,
  type WatchRow,
} from './queries.ts'

const TypeParams = z.object({ name: Name(100) })
const TopicParams = z.object({ topic: Name(200) })

export function routingRoutes(app: App, pool: Pool): void {
  app.put(
    '/v1/notification-types/:name',
    {
      config: { scope: 'types:write' },
      schema: {
        tags: ['notification types'],
        summary: 'Create or replace a type',
        params: TypeParams,
        body: NotificationTypeInput,
        response: { 200: NotificationType },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      const { name } = request.params
      const before = async (tx: Client) => {
        const row = await selectType(tx, tenant_id, name)
        return row && toType(row)
      }
      return audited(pool, request, { type: 'notification_type', id: name, before }, async tx =>
        toType(await upsertType(tx, tenant_id, name, request.body)),
      )
    },
  )
  app.get(
    '/v1/notification-types/:name',
    {
      config: { scope: 'types:read' },
      schema: {
        tags: ['notification types'],
        summary: 'One type',
        params: TypeParams,
        response: { 200: NotificationType },
      },
    },
    async request => {
      const type = await selectType(pool, request.principal.tenant_id, request.params.name)
      if (type === undefined) throw notFound(`notification type "${request.params.name}"`)
      return toType(type)
    },
  )
  app.get(
    '/v1/notification-types',
    {
      config: { scope: 'types:read' },
      schema: {
        tags: ['notification types'],
        summary: 'The catalog',
        response: { 200: z.object({ data: z.array(NotificationType) }) },
      },
    },
    async request => ({ data: (await selectTypes(pool, request.principal.tenant_id)).map(toType) }),
  )
  app.delete(
    '/v1/notification-types/:name',
    {
      config: { scope: 'types:write' },
      schema: {
        tags: ['notification types'],
        summary: 'Remove a type',
        params: TypeParams,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { name } = request.params
      const subject = { type: 'notification_type', id: name, action: 'delete' }
      await audited(pool, request, subject, async tx => {
        const row = await deleteType(tx, request.principal.tenant_id, name)
        if (row === undefined) throw notFound(`notification type "${name}"`)
        return toType(row)
      })
      return reply.status(204).send(null)
    },
  )

  app.put(
    '/v1/topics/:topic/watch',
    {
      config: { scope: 'topics:write' },
      schema: {
        tags: ['topics'],
        summary: 'Set a person’s level on a topic',
        params: TopicParams,
        body: WatchInput,
        response: { 200: Watch },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      const { topic } = request.params
      const { user_id, level } = request.body
      const before = async (tx: Client) => {
        const row = await selectWatch(tx, tenant_id, topic, user_id)
        return row && toWatch(row)
      }
      return audited(pool, request, { ...watchOf(topic, user_id), before }, async tx => {
        const write = upsertWatch(tx, tenant_id, topic, user_id, level)
        return toWatch(await write.catch(error => refuseUnknownUser(error, user_id)))
      })
    },
  )
  app.get(
    '/v1/topics/:topic/watches',
    {
      config: { scope: 'topics:write' },
      schema: {
        tags: ['topics'],
        summary: 'Who watches a topic',
        params: TopicParams,
        querystring: PageQuery,
        response: { 200: PageOf(Watch) },
      },
    },
    async request => {
      const { limit, cursor } = request.query
      const afterUser = String(decodeCursor(cursor, ['text'])?.[0] ?? '')
      const rows = await selectWatches(
        pool,
        request.principal.tenant_id,
        request.params.topic,
        afterUser,
        limit + 1,
      )
      return toPage(rows, limit, row => [row.user_id], toWatch)
    },
  )
  app.delete(
    '/v1/topics/:topic/watch',
    {
      config: { scope: 'topics:write' },
      schema: {
        tags: ['topics'],
        summary: 'Forget a person’s level',
        params: TopicParams,
        querystring: z.object({ user_id: z.string() }),
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { topic } = request.params
      const { user_id } = request.query
      await audited(pool, request, { ...watchOf(topic, user_id), action: 'delete' }, async tx => {
        const row = await deleteWatch(tx, request.principal.tenant_id, topic, user_id)
        if (row === undefined) throw notFound(`watch of "${user_id}" on "${topic}"`)
        return toWatch(row)
      })
      return reply.status(204).send(null)
    },
  )
}

const watchOf = (topic: string, userId: string) => ({ type: 'watch', id: `${topic}/${userId}` })

function toType(row: NotificationTypeRow): NotificationType {
  return { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() }
}

function toWatch(row: WatchRow): Watch {
  return { ...row, updated_at: row.updated_at.toISOString() }
}

function refuseUnknownUser(error: unknown, userId: string): never {
  if (!isDatabaseError(error, 'foreign_key_violation')) throw error
  throw new Refusal('recipient_not_found', `There is no user "${userId}".`, [
    { field: 'user_id', message: 'Create the user first.' },
  ])
}
