/** /v1/tenant, /v1/tenants and /v1/users. */
import {
  CreatedApiKey,
  Name,
  NewTenant,
  PageOf,
  Tenant,
  TenantSettings,
  User,
  UserInput,
  UserQuery,
} from '@carillon/contract'
import { z } from 'zod'
import { audited } from '../audit-logs/audit-logs.ts'
import type { Client, Pool } from '../db/pool.ts'
import { decodeCursor, toPage } from '../http/page.ts'
import type { App } from '../http/server.ts'
import { notFound } from '../refusal.ts'
import { selectTenant, selectTenants, selectUsers } from './queries.ts'
import { type CreatedTenant, changeTenant, createTenant, toTenant } from './tenants.ts'
import { findUser, putUser, removeUser, toUser } from './users.ts'

const UserParams = z.object({ id: Name(200) })

export function accessRoutes(app: App, pool: Pool): void {
  app.get(
    '/v1/tenant',
    {
      config: { scope: 'tenant:read' },
      schema: { tags: ['tenants'], summary: 'Your tenant and its settings', response: { 200: Tenant } },
    },
    async request => toTenant(await selectTenant(pool, request.principal.tenant_id)),
  )
  app.patch(
    '/v1/tenant',
    {
      config: { scope: 'tenant:write' },
      schema: {
        tags: ['tenants'],
        summary: 'Change settings of your tenant',
        body: TenantSettings,
        response: { 200: Tenant },
      },
    },
    async request => {
      const id = request.principal.tenant_id
      const before = async (tx: Client) => toTenant(await selectTenant(tx, id))
      return audited(pool, request, { type: 'tenant', id, before }, tx => changeTenant(tx, id, request.body))
    },
  )
  app.get(
    '/v1/tenants',
    {
      config: { scope: 'instance' },
      schema: {
        tags: ['tenants'],
        summary: 'Every tenant',
        response: { 200: z.object({ data: z.array(Tenant) }) },
      },
    },
    async () => ({ data: (await selectTenants(pool)).map(toTenant) }),
  )
  app.post(
    '/v1/tenants',
    {
      config: { scope: 'instance' },
      schema: {
        tags: ['tenants'],
        summary: 'Create a tenant and its first key',
        body: NewTenant,
        response: { 201: Tenant.extend({ api_key: CreatedApiKey }) },
      },
    },
    async (request, reply) => {
      const after = ({ api_key, ...tenant }: CreatedTenant) => ({ ...tenant, api_key_id: api_key.id })
      const tenant = await audited(pool, request, { type: 'tenant', after }, tx =>
        createTenant(tx, request.body),
      )
      return reply.status(201).send(tenant)
    },
  )

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
  app.get(
    '/v1/users/:id',
    {
      config: { scope: 'users:read' },
      schema: { tags: ['users'], summary: 'One user', params: UserParams, response: { 200: User } },
    },
    async request => {
      const user = await findUser(pool, request.principal.tenant_id, request.params.id)
      if (user === undefined) throw notFound(`user "${request.params.id}"`)
      return user
    },
  )
  app.get(
    '/v1/users',
    {
      config: { scope: 'users:read' },
      schema: {
        tags: ['users'],
        summary: 'Users by id, or by email or username',
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
        summary: 'Delete a user and what belongs to them',
        params: UserParams,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { tenant_id } = request.principal
      const { id } = request.params
      await audited(pool, request, { type: 'user', id, action: 'delete' }, tx =>
        removeUser(tx, tenant_id, id),
      )
      return reply.status(204).send(null)
    },
  )
}
