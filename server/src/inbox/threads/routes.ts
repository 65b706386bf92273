/** /v1/threads */
import {
  PageOf,
  Thread,
  ThreadChanges,
  ThreadId,
  ThreadInput,
  ThreadKind,
  ThreadQuery,
} from '@carillon/contract'
import { z } from 'zod'
import { audited } from '../../oversight/audit-logs/audit-logs.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { decodeCursor, toPage } from '../../platform/http/page.ts'
import type { App } from '../../platform/http/server.ts'
import { deleteThread, selectThread, selectThreads } from './queries.ts'
import { findThread, noThread, putThread, toThread } from './threads.ts'

const ThreadParams = z.object({ kind: ThreadKind, id: ThreadId })
const tags = ['threads']

export function threadRoutes(app: App, pool: Pool): void {
  app.put(
    '/v1/threads/:kind/:id',
    {
      config: { scope: 'topics:write' },
      schema: {
        tags,
        summary: 'Create or replace a thread',
        params: ThreadParams,
        body: ThreadInput,
        response: { 200: Thread },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      const { kind, id } = request.params
      return audited(pool, request, changeOf(tenant_id, kind, id), tx =>
        putThread(tx, tenant_id, kind, id, request.body),
      )
    },
  )
  app.patch(
    '/v1/threads/:kind/:id',
    {
      config: { scope: 'topics:write' },
      schema: {
        tags,
        summary: 'Change the given fields of a thread',
        params: ThreadParams,
        body: ThreadChanges,
        response: { 200: Thread },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      const { kind, id } = request.params
      return audited(pool, request, changeOf(tenant_id, kind, id), async tx => {
        const row = await selectThread(tx, tenant_id, kind, id)
        if (row === undefined) throw noThread(kind, id)
        return putThread(tx, tenant_id, kind, id, { ...row, ...request.body })
      })
    },
  )
  app.get(
    '/v1/threads/:kind/:id',
    {
      config: { scope: 'topics:read' },
      schema: { tags, summary: 'One thread', params: ThreadParams, response: { 200: Thread } },
    },
    async request => {
      const { kind, id } = request.params
      const thread = await findThread(pool, request.principal.tenant_id, kind, id)
      if (thread === undefined) throw noThread(kind, id)
      return thread
    },
  )
  app.get(
    '/v1/threads',
    {
      config: { scope: 'topics:read' },
      schema: {
        tags,
        summary: 'Threads by kind and id',
        querystring: ThreadQuery,
        response: { 200: PageOf(Thread) },
      },
    },
    async request => {
      const { limit, cursor, topic } = request.query
      const after = decodeCursor(cursor, ['text', 'text']) ?? ['', '']
      const rows = await selectThreads(pool, request.principal.tenant_id, { topic, after, limit: limit + 1 })
      return toPage(rows, limit, row => [row.kind, row.id], toThread)
    },
  )
  app.delete(
    '/v1/threads/:kind/:id',
    {
      config: { scope: 'topics:write' },
      schema: {
        tags,
        summary: 'Delete a thread with its participants and subscriptions; inbox rows about it stay',
        params: ThreadParams,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { kind, id } = request.params
      const subject = { type: 'thread', id: `${kind}/${id}`, action: 'delete' }
      await audited(pool, request, subject, async tx => {
        const row = await deleteThread(tx, request.principal.tenant_id, kind, id)
        if (row === undefined) throw noThread(kind, id)
        return toThread(row)
      })
      return reply.status(204).send(null)
    },
  )
}

function changeOf(tenantId: string, kind: string, id: string) {
  const before = (tx: Client) => findThread(tx, tenantId, kind, id)
  return { type: 'thread', id: `${kind}/${id}`, before }
}
