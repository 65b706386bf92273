/** /v1/webhooks */
import {
  CreatedWebhook,
  NewWebhook,
  PageOf,
  RotateWebhookSecret,
  Webhook,
  WebhookChanges,
  WebhookQuery,
} from '@carillon/contract'
import { z } from 'zod'
import { audited } from '../../oversight/audit-logs/audit-logs.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { decodeCursor, toPage } from '../../platform/http/page.ts'
import type { App } from '../../platform/http/server.ts'
import { selectWebhooks, type WebhookWithWaitingRow } from './queries.ts'
import {
  changeWebhook,
  createWebhook,
  getWebhook,
  lockWebhook,
  removeWebhook,
  rotateSecret,
  toWebhook,
  type WebhookParts,
} from './webhooks.ts'

const WebhookParams = z.object({ id: z.uuid() })
const tags = ['webhooks']
const type = 'webhook'

/** The number of waiting events is not part of a change. */
const settingsOf = ({ waiting: _, ...settings }: Webhook): object => settings

export function webhookRoutes(app: App, pool: Pool, parts: WebhookParts, onDue: () => void): void {
  const changeOf = (tenantId: string, id: string) => ({
    type,
    id,
    before: async (tx: Client) => settingsOf(await lockWebhook(tx, parts, tenantId, id)),
  })

  app.get(
    '/v1/webhooks',
    {
      config: { scope: 'webhooks:read' },
      schema: {
        tags,
        summary: 'Endpoints, oldest first',
        querystring: WebhookQuery,
        response: { 200: PageOf(Webhook) },
      },
    },
    async request => {
      const { limit, cursor, ...filter } = request.query
      const page = { after: decodeCursor(cursor, ['time', 'uuid']), limit: limit + 1 }
      const rows = await selectWebhooks(pool, request.principal.tenant_id, { ...filter, ...page })
      const keyOf = (row: WebhookWithWaitingRow) => [row.created_at.toISOString(), row.id]
      return toPage(rows, limit, keyOf, row => toWebhook(row, parts.keyring))
    },
  )
  app.post(
    '/v1/webhooks',
    {
      config: { scope: 'webhooks:write' },
      schema: { tags, body: NewWebhook, response: { 201: CreatedWebhook } },
    },
    async (request, reply) => {
      const webhook = await audited(pool, request, { type }, tx =>
        createWebhook(tx, parts, request.principal.tenant_id, request.body),
      )
      return reply.status(201).send(webhook)
    },
  )
  app.get(
    '/v1/webhooks/:id',
    {
      config: { scope: 'webhooks:read' },
      schema: { tags, params: WebhookParams, response: { 200: Webhook } },
    },
    async request => getWebhook(pool, parts, request.principal.tenant_id, request.params.id),
  )
  app.patch(
    '/v1/webhooks/:id',
    {
      config: { scope: 'webhooks:write' },
      schema: { tags, params: WebhookParams, body: WebhookChanges, response: { 200: Webhook } },
    },
    async request => {
      const { tenant_id } = request.principal
      const { id } = request.params
      const { headers } = request.body
      const subject = {
        ...changeOf(tenant_id, id),
        // The audit row says that headers were given, not their values.
        after: (webhook: Webhook) => ({ ...settingsOf(webhook), ...(headers && { secrets: headers }) }),
      }
      const webhook = await audited(pool, request, subject, tx =>
        changeWebhook(tx, parts, tenant_id, id, request.body),
      )
      onDue()
      return webhook
    },
  )
  app.delete(
    '/v1/webhooks/:id',
    {
      config: { scope: 'webhooks:write' },
      schema: {
        tags,
        summary: 'Delete it and its deliveries; events that still wait become dead letters',
        params: WebhookParams,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      await audited(pool, request, { type, id, action: 'delete' }, tx =>
        removeWebhook(tx, parts, request.principal.tenant_id, id),
      )
      return reply.status(204).send(null)
    },
  )
  app.post(
    '/v1/webhooks/:id/rotate',
    {
      config: { scope: 'webhooks:write' },
      schema: {
        tags,
        summary: 'Create a new signing secret; the old one also signs until the grace period is over',
        params: WebhookParams,
        body: RotateWebhookSecret,
        response: { 200: CreatedWebhook },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      const { id } = request.params
      const subject = { ...changeOf(tenant_id, id), action: 'rotate', after: settingsOf }
      return audited(pool, request, subject, tx => rotateSecret(tx, parts, tenant_id, id, request.body))
    },
  )
}
