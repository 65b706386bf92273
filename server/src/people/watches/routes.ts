/** /v1/topics/{topic}/watch, and the lists of watches of a topic and of a person */
import { Name, PageOf, PageQuery, Watch, WatchChanges, WatchInput } from '@carillon/contract'
import { z } from 'zod'
import { audited } from '../../oversight/audit-logs/audit-logs.ts'
import { notFound } from '../../platform/calls/refusal.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { decodeCursor, toPage } from '../../platform/http/page.ts'
import type { App } from '../../platform/http/server.ts'
import { refuseUnknownUser } from '../users/unknown-user.ts'
import { findUser, noUser } from '../users/users.ts'
import {
  deleteWatch,
  lockTopic,
  maySee,
  selectWatch,
  selectWatches,
  selectWatchesOfPerson,
  topicExists,
  upsertWatch,
  type WatchRow,
} from './queries.ts'

const TopicParams = z.object({ topic: Name(200) })

export function watchRoutes(app: App, pool: Pool): void {
  app.put(
    '/v1/topics/:topic/watch',
    {
      config: { scope: 'topics:write', person: true },
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
      const { user_id, ...wanted } = request.body
      // A key makes the topics that it names; a person only watches those that there are to see.
      if (request.principal.person && !(await maySee(pool, tenant_id, topic, user_id))) throw noTopic(topic)
      return audited(pool, request, changeOf(tenant_id, topic, user_id), async tx => {
        await lockTopic(tx, tenant_id, topic)
        const write = upsertWatch(tx, tenant_id, topic, user_id, wanted)
        return toWatch(await write.catch(error => refuseUnknownUser(error, user_id)))
      })
    },
  )
  app.patch(
    '/v1/topics/:topic/watch',
    {
      config: { scope: 'topics:write', person: true },
      schema: {
        tags: ['topics'],
        summary: 'Change the level of a person who watches a topic',
        params: TopicParams,
        body: WatchChanges,
        response: { 200: Watch },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      const { topic } = request.params
      const { user_id, ...changes } = request.body
      return audited(pool, request, changeOf(tenant_id, topic, user_id), async tx => {
        const row = await selectWatch(tx, tenant_id, topic, user_id)
        if (row === undefined) throw noWatch(topic, user_id)
        return toWatch(await upsertWatch(tx, tenant_id, topic, user_id, { ...row, ...changes }))
      })
    },
  )
  app.get(
    '/v1/topics/:topic/watches',
    {
      config: { scope: 'topics:write' },
      schema: {
        tags: ['topics'],
        summary: 'List who watches a topic',
        params: TopicParams,
        querystring: PageQuery,
        response: { 200: PageOf(Watch) },
      },
    },
    async request => {
      const { limit, cursor } = request.query
      const { tenant_id } = request.principal
      const { topic } = request.params
      const afterUser = String(decodeCursor(cursor, ['text'])?.[0] ?? '')
      const rows = await selectWatches(pool, tenant_id, topic, afterUser, limit + 1)
      if (rows.length === 0 && !(await topicExists(pool, tenant_id, topic))) throw noTopic(topic)
      return toPage(rows, limit, row => [row.user_id], toWatch)
    },
  )
  app.get(
    '/v1/users/:id/watches',
    {
      config: { scope: 'topics:read', person: true },
      schema: {
        tags: ['topics'],
        summary: 'The topics that a person watches or ignores',
        params: z.object({ id: Name(200) }),
        querystring: PageQuery,
        response: { 200: PageOf(Watch) },
      },
    },
    async request => {
      const { limit, cursor } = request.query
      const { tenant_id } = request.principal
      const { id } = request.params
      const afterTopic = String(decodeCursor(cursor, ['text'])?.[0] ?? '')
      const rows = await selectWatchesOfPerson(pool, tenant_id, id, afterTopic, limit + 1)
      if (rows.length === 0 && (await findUser(pool, tenant_id, id)) === undefined) throw noUser(id)
      return toPage(rows, limit, row => [row.topic], toWatch)
    },
  )
  app.delete(
    '/v1/topics/:topic/watch',
    {
      config: { scope: 'topics:write', person: true },
      schema: {
        tags: ['topics'],
        summary: 'Remove a person’s level',
        params: TopicParams,
        querystring: z.object({ user_id: z.string() }),
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { topic } = request.params
      const { user_id } = request.query
      await audited(pool, request, { ...auditSubject(topic, user_id), action: 'delete' }, async tx => {
        const row = await deleteWatch(tx, request.principal.tenant_id, topic, user_id)
        if (row === undefined) throw noWatch(topic, user_id)
        return toWatch(row)
      })
      return reply.status(204).send(null)
    },
  )
}

const noTopic = (topic: string) => notFound(`topic "${topic}"`)
const noWatch = (topic: string, userId: string) => notFound(`watch of "${userId}" on "${topic}"`)

function changeOf(tenantId: string, topic: string, userId: string) {
  const before = async (tx: Client) => {
    const row = await selectWatch(tx, tenantId, topic, userId)
    return row && toWatch(row)
  }
  return { ...auditSubject(topic, userId), before }
}

const auditSubject = (topic: string, userId: string) => ({ type: 'watch', id: `${topic}/${userId}` })

function toWatch(row: WatchRow): Watch {
  return { ...row, updated_at: row.updated_at.toISOString() }
}
