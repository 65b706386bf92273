/** Operations of webhooks for the coverage of the audit log, each ready to be called with success. */
import type { Answer, RequestOptions, TestCarillon } from '../../test/carillon.ts'

export interface Expected {
  path: string
  options?: RequestOptions
  /** action, resource type and resource id of the row; a function when the answer has the id */
  row: (body: Answer['body']) => [string, string, string | null]
}
export type Case = () => Promise<Expected> | Expected

const WEBHOOK = { url: 'https://example.com/hook', events: ['notification.sent'] }

export function webhookCases(carillon: TestCarillon): Record<string, Case> {
  const aWebhook = async (): Promise<string> =>
    (await carillon.request('POST', '/v1/webhooks', { body: WEBHOOK })).body.id

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
