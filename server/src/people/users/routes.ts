/** /v1/users */
import { Name, PageOf, User, UserChanges, UserInput, UserQuery } from '@carillon/contract'
import { z } from 'zod'
import { audited } from '../../oversight/audit-logs/audit-logs.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { decodeCursor, toPage } from '../../platform/http/page.ts'
import type { App } from '../../platform/http/server.ts'
import { selectUsers } from './queries.ts'
import { changeUser, findUser, noUser, putUser, removeUser, toUser } from './users.ts'

const UserParams = z.object({ id: Name(200) })

export function userRoutes(app: App, pool: Pool): void {
  app.put(
    '/v1/users/:id',
    {
      config: { scope: 'users:write' },
      schema: {
        tags: ['users'],
        summary: 'Create or replace a user',
        params: UserParams,
        body: UserInput,
        response: { 200: User },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      const { id } = request.params
      const before = (tx: Client) => findUser(tx, tenant_id, id)
      return audited(pool, request, { type: 'user', id, before }, tx =>
        putUser(tx, tenant_id, id, request.body),
      )
    },
  )
  app.patch(
    '/v1/users/:id',
    {
      config: { scope: 'users:write' },
      schema: {
        tags: ['users'],
        summary: 'Change the given fields of a user',
        params: UserParams,
        body: UserChanges,
        response: { 200: User },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      const { id } = request.params
      const before = (tx: Client) => findUser(tx, tenant_id, id)
      return audited(pool, request, { type: 'user', id, before }, tx =>
        changeUser(tx, tenant_id, id, request.body),
      )
    },
  )
  app.get(
    '/v1/users/:id',
    {
      config: { scope: 'users:read' },
      schema: { tags: ['users'], summary: 'One user', params: UserParams, response: { 200: User } },
    },
    async request => {
      const user = await findUser(pool, request.principal.tenant_id, request.params.id)
      if (user === undefined) throw noUser(request.params.id)
      return user
    },
  )
  app.get(
    '/v1/users',
    {
      config: { scope: 'users:read' },
      schema: {
        tags: ['users'],
        summary: 'List users by id, or find them by email or username',
        querystring: UserQuery,
        response: { 200: PageOf(User) },
      },
    },
    async request => {
      const { limit, cursor, email, username } = request.query
      const afterId = String(decodeCursor(cursor, ['text'])?.[0] ?? '')
      const rows = await selectUsers(pool, request.principal.tenant_id, {
        email,
        username,
        afterId,
        limit: limit + 1,
      })
      return toPage(rows, limit, row => [row.id], toUser)
    },
  )
  app.delete(
    '/v1/users/:id',
    {
      config: { scope: 'users:write' },
      schema: {
        tags: ['users'],
        summary: 'Delete a user and everything that belongs to them',
        params: UserParams,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      await audited(pool, request, { type: 'user', id, action: 'delete' }, tx =>
        removeUser(tx, request.principal, id),
      )
      return reply.status(204).send(null)
    },
  )
}
