/** Webhooks: endpoints that receive events about notifications, and what was delivered to them. */
import type {
  CreatedWebhook,
  NewWebhook,
  Page,
  RecoverWebhook,
  Redelivery,
  RotateWebhookSecret,
  TestWebhook,
  Webhook,
  WebhookChanges,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookDeliveryQuery,
  WebhookQuery,
  WebhookRecovery,
} from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { everyRow, pagedList } from './pages.ts'
import { path } from './path.ts'

export function createWebhooks(send: Send) {
  const deliveries = async (
    id: string,
    query: Partial<WebhookDeliveryQuery> = {},
    options?: CallOptions,
  ): Promise<Page<WebhookDelivery>> =>
    send({ method: 'GET', path: path`/v1/webhooks/${id}/deliveries`, query, ...options })

  return {
    ...pagedList<Webhook, WebhookQuery>(send, '/v1/webhooks'),

    async get(id: string, options?: CallOptions): Promise<Webhook> {
      return send({ method: 'GET', path: path`/v1/webhooks/${id}`, ...options })
    },

    /** The answer contains the signing secret, which is not shown again. */
    async create(webhook: NewWebhook, options?: CallOptions): Promise<CreatedWebhook> {
      return send({ method: 'POST', path: '/v1/webhooks', body: webhook, ...options })
    },

    async update(id: string, changes: WebhookChanges, options?: CallOptions): Promise<Webhook> {
      return send({ method: 'PATCH', path: path`/v1/webhooks/${id}`, body: changes, ...options })
    },

    async delete(id: string, options?: CallOptions): Promise<void> {
      return send({ method: 'DELETE', path: path`/v1/webhooks/${id}`, ...options })
    },

    /** Creates a new signing secret; the old one also signs until the grace period is over. */
    async rotate(
      id: string,
      rotation: RotateWebhookSecret = {},
      options?: CallOptions,
    ): Promise<CreatedWebhook> {
      return send({ method: 'POST', path: path`/v1/webhooks/${id}/rotate`, body: rotation, ...options })
    },

    /** Sends a sample event now; the answer says how the receiver responded. */
    async test(id: string, event: TestWebhook = {}, options?: CallOptions): Promise<WebhookDeliveryDetail> {
      return send({ method: 'POST', path: path`/v1/webhooks/${id}/test`, body: event, ...options })
    },

    /** What was delivered to one endpoint: one page, newest first. */
    deliveries,

    allDeliveries(id: string, query: Partial<WebhookDeliveryQuery> = {}, options?: CallOptions) {
      return everyRow<WebhookDelivery>(next => deliveries(id, { ...query, ...next }, options), query)
    },

    /** One delivery with its body and every attempt. */
    async delivery(id: string, deliveryId: string, options?: CallOptions): Promise<WebhookDeliveryDetail> {
      return send({ method: 'GET', path: path`/v1/webhooks/${id}/deliveries/${deliveryId}`, ...options })
    },

    /** Sends the same body and webhook-id in a new delivery. */
    async redeliver(id: string, deliveryId: string, options?: CallOptions): Promise<Redelivery> {
      return send({
        method: 'POST',
        path: path`/v1/webhooks/${id}/deliveries/${deliveryId}/redeliver`,
        ...options,
      })
    },

    /** Sends again everything that failed after a given time, at most at a given rate. */
    async recover(id: string, request: RecoverWebhook, options?: CallOptions): Promise<WebhookRecovery> {
      return send({ method: 'POST', path: path`/v1/webhooks/${id}/recoveries`, body: request, ...options })
    },

    /** The progress of a recovery. */
    async recovery(id: string, recoveryId: string, options?: CallOptions): Promise<WebhookRecovery> {
      return send({ method: 'GET', path: path`/v1/webhooks/${id}/recoveries/${recoveryId}`, ...options })
    },
  }
}
