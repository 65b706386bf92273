/** /v1/threads/{kind}/{id}/subscription and the lists of subscriptions */
import {
  Name,
  PageOf,
  PageQuery,
  Subscription,
  SubscriptionInput,
  ThreadId,
  ThreadKind,
} from '@carillon/contract'
import { z } from 'zod'
import { audited } from '../../oversight/audit-logs/audit-logs.ts'
import { findUser, noUser } from '../../people/users/users.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { decodeCursor, toPage } from '../../platform/http/page.ts'
import type { App } from '../../platform/http/server.ts'
import { findThread, noThread } from '../threads/threads.ts'
import { maySeeTopic } from '../topics/may-see.ts'
import type { Visibility } from '../visibility/visibility.ts'
import {
  deleteSubscription,
  selectSubscription,
  selectSubscriptionsOfPerson,
  selectSubscriptionsOfThread,
  type ThreadKey,
} from './queries.ts'
import { auditId, chooseSubscription, noSubscription, refuseHidden, toSubscription } from './subscriptions.ts'

const ThreadParams = z.object({ kind: ThreadKind, id: ThreadId })
const PersonQuery = z.strictObject({ user_id: Name(200) })
const tags = ['threads']
const path = '/v1/threads/:kind/:id/subscription'

export function subscriptionRoutes(app: App, pool: Pool, visibility: Visibility): void {
  app.put(
    path,
    {
      config: { scope: 'topics:write', person: true },
      schema: {
        tags,
        summary: 'Let a person follow a thread, or leave it',
        params: ThreadParams,
        body: SubscriptionInput,
        response: { 200: Subscription },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      const thread: ThreadKey = [request.params.kind, request.params.id]
      const { user_id, subscribed } = request.body
      // Outside the transaction: the answer may take its time.
      if (subscribed) await refuseHidden(pool, visibility, tenant_id, thread, user_id)
      return audited(pool, request, changeOf(tenant_id, thread, user_id), tx =>
        chooseSubscription(tx, tenant_id, thread, user_id, { subscribed }, topic =>
          maySeeTopic(tx, tenant_id, topic, user_id),
        ),
      )
    },
  )
  app.get(
    path,
    {
      config: { scope: 'topics:read', person: true },
      schema: {
        tags,
        summary: 'What a person chose about a thread, or what follows from their part in it',
        params: ThreadParams,
        querystring: PersonQuery,
        response: { 200: Subscription },
      },
    },
    async request => {
      const thread: ThreadKey = [request.params.kind, request.params.id]
      const { user_id } = request.query
      const row = await selectSubscription(pool, request.principal.tenant_id, thread, user_id)
      if (row === undefined) throw noSubscription(thread, user_id)
      return toSubscription(row)
    },
  )
  app.delete(
    path,
    {
      config: { scope: 'topics:write', person: true },
      schema: {
        tags,
        summary: 'Forget the choice, so that the watch on the topic decides again',
        params: ThreadParams,
        querystring: PersonQuery,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const thread: ThreadKey = [request.params.kind, request.params.id]
      const { user_id } = request.query
      const subject = { type: 'subscription', id: auditId(thread, user_id), action: 'delete' }
      await audited(pool, request, subject, async tx => {
        const row = await deleteSubscription(tx, request.principal.tenant_id, thread, user_id)
        if (row === undefined) throw noSubscription(thread, user_id)
        return toSubscription(row)
      })
      return reply.status(204).send(null)
    },
  )
  app.get(
    `${path}s`,
    {
      config: { scope: 'topics:read' },
      schema: {
        tags,
        summary: 'Who follows a thread, and who left it',
        params: ThreadParams,
        querystring: PageQuery,
        response: { 200: PageOf(Subscription) },
      },
    },
    async request => {
      const { limit, cursor } = request.query
      const thread: ThreadKey = [request.params.kind, request.params.id]
      const after = String(decodeCursor(cursor, ['text'])?.[0] ?? '')
      const { tenant_id } = request.principal
      const rows = await selectSubscriptionsOfThread(pool, tenant_id, thread, after, limit + 1)
      if (rows.length === 0 && (await findThread(pool, tenant_id, ...thread)) === undefined)
        throw noThread(...thread)
      return toPage(rows, limit, row => [row.user_id], toSubscription)
    },
  )
  app.get(
    '/v1/users/:id/subscriptions',
    {
      config: { scope: 'topics:read', person: true },
      schema: {
        tags,
        summary: 'The threads that a person follows or left',
        params: z.object({ id: Name(200) }),
        querystring: PageQuery,
        response: { 200: PageOf(Subscription) },
      },
    },
    async request => {
      const { limit, cursor } = request.query
      const after = decodeCursor(cursor, ['text', 'text']) ?? ['', '']
      const { tenant_id } = request.principal
      const { id } = request.params
      const rows = await selectSubscriptionsOfPerson(pool, tenant_id, id, after, limit + 1)
      if (rows.length === 0 && (await findUser(pool, tenant_id, id)) === undefined) throw noUser(id)
      return toPage(rows, limit, row => [row.thread_kind, row.thread_id], toSubscription)
    },
  )
}

function changeOf(tenantId: string, thread: ThreadKey, userId: string) {
  const before = async (tx: Client) => {
    const row = await selectSubscription(tx, tenantId, thread, userId)
    return row && toSubscription(row)
  }
  return { type: 'subscription', id: auditId(thread, userId), before }
}
