/** /v1/webhooks */
import { CreatedWebhook, NewWebhook, RotateWebhookSecret, Webhook, WebhookChanges } from '@carillon/contract'
import { z } from 'zod'
import type { App } from '../http/server.ts'
import { notFound } from '../refusal.ts'
import { deleteWebhook } from './queries.ts'
import {
  changeWebhook,
  createWebhook,
  getWebhook,
  listWebhooks,
  rotateSecret,
  type WebhookParts,
} from './webhooks.ts'

const WebhookParams = z.object({ id: z.uuid() })
const tags = ['webhooks']

export function webhookRoutes(app: App, parts: WebhookParts, onDue: () => void): void {
  app.get(
    '/v1/webhooks',
    {
      config: { scope: 'webhooks:read' },
      schema: { tags, response: { 200: z.object({ data: z.array(Webhook) }) } },
    },
    async request => ({ data: await listWebhooks(parts, request.principal.tenant_id) }),
  )
  app.post(
    '/v1/webhooks',
    {
      config: { scope: 'webhooks:write' },
      schema: { tags, body: NewWebhook, response: { 201: CreatedWebhook } },
    },
    async (request, reply) => {
      const webhook = await createWebhook(parts, request.principal.tenant_id, request.body)
      return reply.status(201).send(webhook)
    },
  )
  app.get(
    '/v1/webhooks/:id',
    {
      config: { scope: 'webhooks:read' },
      schema: { tags, params: WebhookParams, response: { 200: Webhook } },
    },
    async request => getWebhook(parts, request.principal.tenant_id, request.params.id),
  )
  app.patch(
    '/v1/webhooks/:id',
    {
      config: { scope: 'webhooks:write' },
      schema: { tags, params: WebhookParams, body: WebhookChanges, response: { 200: Webhook } },
    },
    async request => {
      const { tenant_id } = request.principal
      await changeWebhook(parts, tenant_id, request.params.id, request.body)
      onDue()
      return getWebhook(parts, tenant_id, request.params.id)
    },
  )
  app.delete(
    '/v1/webhooks/:id',
    {
      config: { scope: 'webhooks:write' },
      schema: {
        tags,
        summary: 'Its deliveries go with it; events that still wait become dead letters',
        params: WebhookParams,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      if (!(await deleteWebhook(parts.pool, request.principal.tenant_id, request.params.id)))
        throw notFound(`webhook ${request.params.id}`)
      return reply.status(204).send(null)
    },
  )
  app.post(
    '/v1/webhooks/:id/rotate',
    {
      config: { scope: 'webhooks:write' },
      schema: {
        tags,
        summary: 'A new signing secret; the old one signs as well for a while',
        params: WebhookParams,
        body: RotateWebhookSecret,
        response: { 200: CreatedWebhook },
      },
    },
    async request => rotateSecret(parts, request.principal.tenant_id, request.params.id, request.body),
  )
}
