/** /v1/webhooks/{id}/deliveries and /v1/webhooks/{id}/test */
import {
  PageOf,
  Redelivery,
  TestWebhook,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookDeliveryQuery,
} from '@carillon/contract'
import { z } from 'zod'
import { audited } from '../../oversight/audit-logs/audit-logs.ts'
import { notFound } from '../../platform/calls/refusal.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { decodeCursor, toPage } from '../../platform/http/page.ts'
import type { App } from '../../platform/http/server.ts'
import type { EndpointDirectory } from '../webhooks/endpoints.ts'
import { isWebhookActive } from '../webhooks/webhooks.ts'
import { getDelivery, redeliver, toDelivery } from './deliveries.ts'
import type { Senders } from './post.ts'
import { selectDeliveries } from './queries.ts'
import { sendTestEvent } from './test-event.ts'

const WebhookParams = z.object({ id: z.uuid() })
const DeliveryParams = z.object({ id: z.uuid(), delivery_id: z.uuid() })
const tags = ['webhooks']

export interface DeliveryParts extends Senders {
  pool: Pool
  endpoints: EndpointDirectory
  onDue: () => void
}

export function webhookDeliveryRoutes(app: App, parts: DeliveryParts): void {
  const { pool } = parts
  app.get(
    '/v1/webhooks/:id/deliveries',
    {
      config: { scope: 'webhooks:read' },
      schema: {
        tags,
        params: WebhookParams,
        querystring: WebhookDeliveryQuery,
        response: { 200: PageOf(WebhookDelivery) },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      const { id } = request.params
      if ((await isWebhookActive(pool, tenant_id, id)) === undefined) throw notFound(`webhook ${id}`)
      const { limit, cursor, status = 'all', ...filter } = request.query
      const after = decodeCursor(cursor, ['time', 'uuid'])
      const rows = await selectDeliveries(pool, tenant_id, id, { ...filter, status, after, limit: limit + 1 })
      return toPage(rows, limit, row => [row.created_at.toISOString(), row.id], toDelivery)
    },
  )
  app.get(
    '/v1/webhooks/:id/deliveries/:delivery_id',
    {
      config: { scope: 'webhooks:read' },
      schema: {
        tags,
        summary: 'One delivery with its body and every attempt',
        params: DeliveryParams,
        response: { 200: WebhookDeliveryDetail },
      },
    },
    async request =>
      getDelivery(pool, request.principal.tenant_id, request.params.id, request.params.delivery_id),
  )
  app.post(
    '/v1/webhooks/:id/deliveries/:delivery_id/redeliver',
    {
      config: { scope: 'webhook_deliveries:write' },
      schema: {
        tags,
        summary: 'Send it again, with the same body and webhook-id in a new delivery',
        params: DeliveryParams,
        response: { 202: Redelivery },
      },
    },
    async (request, reply) => {
      const { tenant_id, user_id } = request.principal
      const { id, delivery_id } = request.params
      const subject = {
        type: 'webhook_delivery',
        id: delivery_id,
        action: 'redeliver',
        after: (redelivery: Redelivery) => ({ webhook_id: id, ...redelivery }),
      }
      const redelivery = await audited(pool, request, subject, tx =>
        redeliver(tx, tenant_id, id, delivery_id, user_id),
      )
      parts.onDue()
      return reply.status(202).send(redelivery)
    },
  )
  app.post(
    '/v1/webhooks/:id/test',
    {
      config: {
        scope: 'webhook_deliveries:write',
        unaudited: 'it changes nothing but the list of deliveries',
      },
      schema: {
        tags,
        summary: 'Send a sample event now',
        params: WebhookParams,
        body: TestWebhook,
        response: { 200: WebhookDeliveryDetail },
      },
    },
    async request =>
      sendTestEvent(parts, request.principal.tenant_id, request.params.id, request.body.event_type),
  )
}
