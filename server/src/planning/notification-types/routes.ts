/** /v1/notification-types */
import { Name, NotificationType, NotificationTypeChanges, NotificationTypeInput } from '@carillon/contract'
import { z } from 'zod'
import { audited } from '../../oversight/audit-logs/audit-logs.ts'
import { normalAddresses } from '../../people/addresses/addresses.ts'
import { parseOrRefuse } from '../../platform/calls/parse-or-refuse.ts'
import { notFound } from '../../platform/calls/refusal.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import type { App } from '../../platform/http/server.ts'
import { deleteType, type NotificationTypeRow, selectType, selectTypes, upsertType } from './queries.ts'

const TypeParams = z.object({ name: Name(100) })

export function notificationTypeRoutes(app: App, pool: Pool): void {
  app.put(
    '/v1/notification-types/:name',
    {
      config: { scope: 'types:write' },
      schema: {
        tags: ['notification types'],
        summary: 'Create or replace a type',
        params: TypeParams,
        body: NotificationTypeInput,
        response: { 200: NotificationType },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      const { name } = request.params
      return audited(pool, request, changeOf(tenant_id, name), async tx =>
        toType(await upsertType(tx, tenant_id, name, await withNormalAddresses(tx, request.body))),
      )
    },
  )
  app.patch(
    '/v1/notification-types/:name',
    {
      config: { scope: 'types:write' },
      schema: {
        tags: ['notification types'],
        summary: 'Change the given fields of a type',
        params: TypeParams,
        body: NotificationTypeChanges,
        response: { 200: NotificationType },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      const { name } = request.params
      return audited(pool, request, changeOf(tenant_id, name), async tx => {
        const row = await selectType(tx, tenant_id, name)
        if (row === undefined) throw notFound(`notification type "${name}"`)
        const { name: _, created_at: __, updated_at: ___, ...settings } = row
        const changed = parseOrRefuse(NotificationTypeInput, { ...settings, ...request.body })
        return toType(await upsertType(tx, tenant_id, name, await withNormalAddresses(tx, changed)))
      })
    },
  )
  app.get(
    '/v1/notification-types/:name',
    {
      config: { scope: 'types:read' },
      schema: {
        tags: ['notification types'],
        summary: 'One type',
        params: TypeParams,
        response: { 200: NotificationType },
      },
    },
    async request => {
      const type = await selectType(pool, request.principal.tenant_id, request.params.name)
      if (type === undefined) throw notFound(`notification type "${request.params.name}"`)
      return toType(type)
    },
  )
  app.get(
    '/v1/notification-types',
    {
      config: { scope: 'types:read' },
      schema: {
        tags: ['notification types'],
        summary: 'The catalog: all types, by name',
        response: { 200: z.object({ data: z.array(NotificationType) }) },
      },
    },
    async request => ({ data: (await selectTypes(pool, request.principal.tenant_id)).map(toType) }),
  )
  app.delete(
    '/v1/notification-types/:name',
    {
      config: { scope: 'types:write' },
      schema: {
        tags: ['notification types'],
        summary: 'Remove a type',
        params: TypeParams,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { name } = request.params
      const subject = { type: 'notification_type', id: name, action: 'delete' }
      await audited(pool, request, subject, async tx => {
        const row = await deleteType(tx, request.principal.tenant_id, name)
        if (row === undefined) throw notFound(`notification type "${name}"`)
        return toType(row)
      })
      return reply.status(204).send(null)
    },
  )
}

function changeOf(tenantId: string, name: string) {
  const before = async (tx: Client) => {
    const row = await selectType(tx, tenantId, name)
    return row && toType(row)
  }
  return { type: 'notification_type', id: name, before }
}

function toType(row: NotificationTypeRow): NotificationType {
  return { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() }
}

async function withNormalAddresses(
  db: Client,
  input: Required<NotificationTypeInput>,
): Promise<Required<NotificationTypeInput>> {
  const field = (index: number) => `admin_emails.${index}`
  return { ...input, admin_emails: await normalAddresses(db, 'email', input.admin_emails, field) }
}
