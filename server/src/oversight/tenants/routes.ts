/** /v1/tenant and /v1/tenants */
import { CreatedApiKey, NewTenant, Tenant, TenantSettings } from '@carillon/contract'
import { z } from 'zod'
import type { Client, Pool } from '../../platform/database/pool.ts'
import type { App } from '../../platform/http/server.ts'
import { audited } from '../audit-logs/audit-logs.ts'
import { addMember } from '../members/members.ts'
import { selectTenant, selectTenants } from './queries.ts'
import { type CreatedTenant, changeTenant, createTenant, toTenant } from './tenants.ts'

export function tenantRoutes(app: App, pool: Pool): void {
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
      config: { scope: 'tenant:write', whenFull: true },
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
      const account = request.principal.session?.account
      const tenant = await audited(pool, request, { type: 'tenant', after }, async tx => {
        const created = await createTenant(tx, request.body)
        // Otherwise they could not look at what they have made.
        if (account) await addMember(tx, created.id, account, 'owner')
        return created
      })
      return reply.status(201).send(tenant)
    },
  )
}
