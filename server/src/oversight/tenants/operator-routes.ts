/** /v1/tenants/{id}: what operators do with one tenant. */
import { Suspension, Tenant, TenantChange, TenantDeletionQuery } from '@carillon/contract'
import { z } from 'zod'
import type { Client, Pool } from '../../platform/database/pool.ts'
import type { App } from '../../platform/http/server.ts'
import { audited } from '../audit-logs/audit-logs.ts'
import { deleteTenant, findTenant, limitTenant, resumeTenant, suspendTenant } from './operators.ts'

const TenantParams = z.object({ id: z.uuid() })
const tags = ['tenants']

/** `goOn` sends what waited while a tenant was suspended. */
export function operatorRoutes(app: App, pool: Pool, goOn: (tenantId: string) => Promise<void>): void {
  const subject = (id: string, action?: string) => ({
    type: 'tenant',
    id,
    ...(action !== undefined && { action }),
    before: (tx: Client) => findTenant(tx, id),
  })
  app.get(
    '/v1/tenants/:id',
    {
      config: { scope: 'instance' },
      schema: {
        tags,
        summary: 'One tenant, with its quota and the progress of its deletion',
        params: TenantParams,
        response: { 200: Tenant },
      },
    },
    async request => findTenant(pool, request.params.id),
  )
  app.patch(
    '/v1/tenants/:id',
    {
      config: { scope: 'instance' },
      schema: {
        tags,
        summary: 'Change what a tenant may use; its own keys cannot',
        params: TenantParams,
        body: TenantChange,
        response: { 200: Tenant },
      },
    },
    async request => {
      const { id } = request.params
      return audited(pool, request, subject(id), tx => limitTenant(tx, id, request.body))
    },
  )
  app.post(
    '/v1/tenants/:id/suspend',
    {
      config: { scope: 'instance' },
      schema: {
        tags,
        summary: 'Suspend a tenant: its keys stop working, and what waits is not sent',
        params: TenantParams,
        body: Suspension,
        response: { 200: Tenant },
      },
    },
    async request => {
      const { id } = request.params
      return audited(pool, request, subject(id, 'suspend'), tx =>
        suspendTenant(tx, request.principal, id, request.body.reason),
      )
    },
  )
  app.post(
    '/v1/tenants/:id/resume',
    {
      config: { scope: 'instance' },
      schema: {
        tags,
        summary: 'Resume a tenant that is suspended or to be deleted',
        params: TenantParams,
        response: { 200: Tenant },
      },
    },
    async request => {
      const { id } = request.params
      const tenant = await audited(pool, request, subject(id, 'resume'), tx => resumeTenant(tx, id))
      // Not part of the change: it is resumed, and what is not made due now is looked at again by itself.
      await goOn(id).catch(error => request.log.error(error, 'what waited goes on later'))
      return tenant
    },
  )
  app.delete(
    '/v1/tenants/:id',
    {
      config: { scope: 'instance' },
      schema: {
        tags,
        summary: 'Delete a tenant with everything it owns after a grace period; it stops at once',
        params: TenantParams,
        querystring: TenantDeletionQuery,
        response: { 202: Tenant },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const tenant = await audited(pool, request, subject(id, 'schedule_deletion'), tx =>
        deleteTenant(tx, request.principal, id, request.query.grace_days),
      )
      return reply.status(202).send(tenant)
    },
  )
}
