/** /v1/topics/{topic}/members */
import { Name, PageOf, PageQuery, TopicMember, TopicMemberInput, TopicName } from '@carillon/contract'
import { z } from 'zod'
import { audited } from '../../oversight/audit-logs/audit-logs.ts'
import { refuseUnknownUser } from '../../people/users/unknown-user.ts'
import { watchAutomatically } from '../../people/watches/watches.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { decodeCursor, toPage } from '../../platform/http/page.ts'
import type { App } from '../../platform/http/server.ts'
import { deleteMember, selectMember, selectMembers, selectTopic, upsertMember } from './queries.ts'
import { noMember, noTopic, toMember } from './topics.ts'

const TopicParams = z.object({ topic: TopicName })
const MemberParams = z.object({ topic: TopicName, user_id: Name(200) })
const tags = ['topics']

export function topicMemberRoutes(app: App, pool: Pool): void {
  app.put(
    '/v1/topics/:topic/members/:user_id',
    {
      config: { scope: 'topics:write' },
      schema: {
        tags,
        summary: 'Make a person a member of a topic, or change their role',
        params: MemberParams,
        body: TopicMemberInput,
        response: { 200: TopicMember },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      const { topic, user_id } = request.params
      const { role, watch } = request.body
      return audited(pool, request, changeOf(tenant_id, topic, user_id), async tx => {
        if ((await selectTopic(tx, tenant_id, topic)) === undefined) throw noTopic(topic)
        const write = upsertMember(tx, tenant_id, topic, user_id, role)
        const row = await write.catch(error => refuseUnknownUser(error, user_id))
        if (watch) await watchAutomatically(tx, tenant_id, topic, user_id, 'all')
        return toMember(row)
      })
    },
  )
  app.get(
    '/v1/topics/:topic/members',
    {
      config: { scope: 'topics:read' },
      schema: {
        tags,
        summary: 'Members of a topic',
        params: TopicParams,
        querystring: PageQuery,
        response: { 200: PageOf(TopicMember) },
      },
    },
    async request => {
      const { limit, cursor } = request.query
      const { tenant_id } = request.principal
      const { topic } = request.params
      const after = String(decodeCursor(cursor, ['text'])?.[0] ?? '')
      const rows = await selectMembers(pool, tenant_id, topic, after, limit + 1)
      if (rows.length === 0 && (await selectTopic(pool, tenant_id, topic)) === undefined) throw noTopic(topic)
      return toPage(rows, limit, row => [row.user_id], toMember)
    },
  )
  app.delete(
    '/v1/topics/:topic/members/:user_id',
    {
      config: { scope: 'topics:write' },
      schema: {
        tags,
        summary: 'Remove a member; a watch of theirs stays, but tells them nothing of a private topic',
        params: MemberParams,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { topic, user_id } = request.params
      const subject = { type: 'topic_member', id: `${topic}/${user_id}`, action: 'delete' }
      await audited(pool, request, subject, async tx => {
        const row = await deleteMember(tx, request.principal.tenant_id, topic, user_id)
        if (row === undefined) throw noMember(topic, user_id)
        return toMember(row)
      })
      return reply.status(204).send(null)
    },
  )
}

function changeOf(tenantId: string, topic: string, userId: string) {
  const before = async (tx: Client) => {
    const row = await selectMember(tx, tenantId, topic, userId)
    return row && toMember(row)
  }
  return { type: 'topic_member', id: `${topic}/${userId}`, before }
}
