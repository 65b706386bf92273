/** Calls that change webhooks and what was sent to them. */
import type { TestCarillon } from '../carillon.ts'
import { type Calls, create } from './call.ts'

const WEBHOOK = { url: 'https://127.0.0.1:1/hook', events: ['notification.sent'] }

export function webhookCalls(carillon: TestCarillon): Calls {
  const aWebhook = () => create(carillon, '/v1/webhooks', WEBHOOK)

  async function aFailedDelivery(webhookId: string): Promise<string> {
    const { rows } = await carillon.pool.query(
      `insert into webhook_deliveries (tenant_id, id, webhook_id, event_id, event_type, payload, attempts)
       values ($1, uuid_v7(), $2, uuid_v7(), 'notification.sent', '{}', '[]') returning id`,
      [carillon.tenantId, webhookId],
    )
    return rows[0].id
  }

  return {
    'POST /v1/webhooks': () => ({
      path: '/v1/webhooks',
      options: { body: WEBHOOK },
      row: body => ['create', 'webhook', body.id],
    }),
    'PATCH /v1/webhooks/{id}': async () => {
      const id = await aWebhook()
      const options = { body: { is_paused: true } }
      return { path: `/v1/webhooks/${id}`, options, row: () => ['update', 'webhook', id] }
    },
    'DELETE /v1/webhooks/{id}': async () => {
      const id = await aWebhook()
      return { path: `/v1/webhooks/${id}`, row: () => ['delete', 'webhook', id] }
    },
    'POST /v1/webhooks/{id}/rotate': async () => {
      const id = await aWebhook()
      return { path: `/v1/webhooks/${id}/rotate`, row: () => ['rotate', 'webhook', id] }
    },
    'POST /v1/webhooks/{id}/deliveries/{delivery_id}/redeliver': async () => {
      const webhook = await aWebhook()
      const id = await aFailedDelivery(webhook)
      return {
        path: `/v1/webhooks/${webhook}/deliveries/${id}/redeliver`,
        row: () => ['redeliver', 'webhook_delivery', id],
      }
    },
    'POST /v1/webhooks/{id}/test': async () => ({ path: `/v1/webhooks/${await aWebhook()}/test` }),
    'POST /v1/webhooks/{id}/recoveries': async () => {
      const webhook = await aWebhook()
      await aFailedDelivery(webhook)
      return {
        path: `/v1/webhooks/${webhook}/recoveries`,
        options: { body: { since: '2020-01-01T00:00:00Z' } },
        row: body => ['create', 'webhook_recovery', body.id],
      }
    },
  }
}
