/** /v1/topics */
import {
  PageOf,
  Topic,
  TopicChanges,
  TopicInput,
  TopicName,
  TopicQuery,
  TopicWithWatchers,
} from '@carillon/contract'
import { z } from 'zod'
import { audited } from '../../oversight/audit-logs/audit-logs.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { decodeCursor, toPage } from '../../platform/http/page.ts'
import type { App } from '../../platform/http/server.ts'
import { countWatchers, deleteTopic, selectTopic, selectTopics, upsertTopic } from './queries.ts'
import { noTopic, toTopic } from './topics.ts'

const TopicParams = z.object({ topic: TopicName })
const tags = ['topics']

export function topicRoutes(app: App, pool: Pool): void {
  app.put(
    '/v1/topics/:topic',
    {
      config: { scope: 'topics:write' },
      schema: {
        tags,
        summary: 'Create or replace a topic',
        params: TopicParams,
        body: TopicInput,
        response: { 200: Topic },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      const { topic } = request.params
      return audited(pool, request, changeOf(tenant_id, topic), async tx =>
        toTopic(await upsertTopic(tx, tenant_id, topic, request.body)),
      )
    },
  )
  app.patch(
    '/v1/topics/:topic',
    {
      config: { scope: 'topics:write' },
      schema: {
        tags,
        summary: 'Change the given fields of a topic',
        params: TopicParams,
        body: TopicChanges,
        response: { 200: Topic },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      const { topic } = request.params
      return audited(pool, request, changeOf(tenant_id, topic), async tx => {
        const row = await selectTopic(tx, tenant_id, topic)
        if (row === undefined) throw noTopic(topic)
        return toTopic(await upsertTopic(tx, tenant_id, topic, { ...row, ...request.body }))
      })
    },
  )
  app.get(
    '/v1/topics/:topic',
    {
      config: { scope: 'topics:read' },
      schema: {
        tags,
        summary: 'One topic, and how many people watch it',
        params: TopicParams,
        response: { 200: TopicWithWatchers },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      const { topic } = request.params
      const row = await selectTopic(pool, tenant_id, topic)
      if (row === undefined) throw noTopic(topic)
      return { ...toTopic(row), watchers: await countWatchers(pool, tenant_id, topic) }
    },
  )
  app.get(
    '/v1/topics',
    {
      config: { scope: 'topics:read' },
      schema: { tags, summary: 'Topics by name', querystring: TopicQuery, response: { 200: PageOf(Topic) } },
    },
    async request => {
      const { limit, cursor } = request.query
      const after = String(decodeCursor(cursor, ['text'])?.[0] ?? '')
      const rows = await selectTopics(pool, request.principal.tenant_id, after, limit + 1)
      return toPage(rows, limit, row => [row.topic], toTopic)
    },
  )
  app.delete(
    '/v1/topics/:topic',
    {
      config: { scope: 'topics:write' },
      schema: {
        tags,
        summary: 'Delete a topic with its threads, members, watches and inbox rows',
        params: TopicParams,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { topic } = request.params
      await audited(pool, request, { type: 'topic', id: topic, action: 'delete' }, async tx => {
        const row = await deleteTopic(tx, request.principal.tenant_id, topic)
        if (row === undefined) throw noTopic(topic)
        return toTopic(row)
      })
      return reply.status(204).send(null)
    },
  )
}

function changeOf(tenantId: string, topic: string) {
  const before = async (tx: Client) => {
    const row = await selectTopic(tx, tenantId, topic)
    return row && toTopic(row)
  }
  return { type: 'topic', id: topic, before }
}
