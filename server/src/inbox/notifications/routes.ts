/** GET /v1/inbox and what is read below it. */
import {
  InboxChanges,
  InboxChangesQuery,
  InboxGroup,
  InboxGroupQuery,
  InboxItem,
  InboxOwnerQuery,
  InboxPage,
  InboxQuery,
  PageOf,
  UnreadCount,
} from '@carillon/contract'
import { z } from 'zod'
import type { Pool } from '../../platform/database/pool.ts'
import { decodeCursor, toPage } from '../../platform/http/page.ts'
import type { App } from '../../platform/http/server.ts'
import { readFilter } from './filter.ts'
import { selectGroups, toGroup } from './groups.ts'
import { countUnread, readChanges, readItem, readPage, readState } from './inbox.ts'
import { toItem } from './item.ts'
import { inboxOwner } from './owner.ts'
import { isUnchanged, sayVersion } from './poll.ts'
import type { CountUnread } from './unread-cache.ts'
import { refuseWrongVersion } from './version.ts'

export const ItemParams = z.object({ id: z.uuid() })

const unchanged = z.null().describe('Nothing has changed since the ETag or time that was sent')

/** `count` may answer from a cache. */
export function inboxRoutes(app: App, pool: Pool, count: CountUnread = countUnread): void {
  app.get(
    '/v1/inbox',
    {
      config: { scope: 'inbox:read', person: true },
      schema: {
        tags: ['inbox'],
        summary: 'A person’s inbox, newest first',
        querystring: InboxQuery,
        response: { 200: InboxPage, 304: unchanged },
      },
    },
    async (request, reply) => {
      const owner = inboxOwner(request)
      const { q, limit, cursor } = request.query
      const terms = readFilter('q', q)
      const after = decodeCursor(cursor, ['time', 'uuid'])
      if (await isUnchanged(pool, owner, request, reply)) return reply
      const { state, rows } = await readPage(pool, owner, { terms, after, limit: limit + 1 })
      sayVersion(reply, owner, state)
      const page = toPage(rows, limit, row => [row.last_event_at.toISOString(), row.id], toItem)
      return { ...page, version: state.version }
    },
  )
  app.get(
    '/v1/inbox/unread-count',
    {
      config: { scope: 'inbox:read', person: true },
      schema: {
        tags: ['inbox'],
        summary: 'How many notifications a person has not read',
        querystring: InboxOwnerQuery,
        response: { 200: UnreadCount, 304: unchanged },
      },
    },
    async (request, reply) => {
      const owner = inboxOwner(request)
      if (await isUnchanged(pool, owner, request, reply)) return reply
      const { unread, version, changed_at } = await count(pool, owner)
      sayVersion(reply, owner, { version, changed_at })
      return { unread, version }
    },
  )
  app.get(
    '/v1/inbox/changes',
    {
      config: { scope: 'inbox:read', person: true },
      schema: {
        tags: ['inbox'],
        summary: 'What has changed in an inbox since an earlier answer',
        querystring: InboxChangesQuery,
        response: { 200: InboxChanges },
      },
    },
    async request => {
      const { since } = request.query
      refuseWrongVersion('since', since)
      return readChanges(pool, inboxOwner(request), since)
    },
  )
  app.get(
    '/v1/inbox/groups',
    {
      config: { scope: 'inbox:read', person: true },
      schema: {
        tags: ['inbox'],
        summary: 'An inbox in groups, by topic or by day, the newest first',
        querystring: InboxGroupQuery,
        response: { 200: PageOf(InboxGroup) },
      },
    },
    async request => {
      const owner = inboxOwner(request)
      const { by, q, limit, cursor } = request.query
      const terms = readFilter('q', q)
      const after = decodeCursor(cursor, ['time', 'text'])
      await readState(pool, owner)
      const rows = await selectGroups(pool, owner, { by, terms, after, limit: limit + 1 })
      return toPage(
        rows,
        limit,
        row => [row.last_event_at.toISOString(), row.key],
        row => toGroup(row, by, terms),
      )
    },
  )
  app.get(
    '/v1/inbox/:id',
    {
      config: { scope: 'inbox:read', person: true },
      schema: {
        tags: ['inbox'],
        summary: 'One notification of an inbox',
        params: ItemParams,
        querystring: InboxOwnerQuery,
        response: { 200: InboxItem },
      },
    },
    async request => readItem(pool, inboxOwner(request), request.params.id),
  )
}
