/** The methods about webhooks. */
import { type Call, id } from './call.ts'

export const WEBHOOK_CALLS: Call[] = [
  ['webhooks.list', c => c.webhooks.list(), 'GET /v1/webhooks'],
  ['webhooks.get', c => c.webhooks.get(id), `GET /v1/webhooks/${id}`],
  [
    'webhooks.create',
    c => c.webhooks.create({ url: 'https://a.b', events: ['notification.sent'] }),
    'POST /v1/webhooks',
    { url: 'https://a.b', events: ['notification.sent'] },
  ],
  [
    'webhooks.update',
    c => c.webhooks.update(id, { is_paused: true }),
    `PATCH /v1/webhooks/${id}`,
    { is_paused: true },
  ],
  ['webhooks.delete', c => c.webhooks.delete(id), `DELETE /v1/webhooks/${id}`],
  ['webhooks.rotate', c => c.webhooks.rotate(id), `POST /v1/webhooks/${id}/rotate`, {}],
  [
    'webhooks.test',
    c => c.webhooks.test(id, { event_type: 'notification.read' }),
    `POST /v1/webhooks/${id}/test`,
    { event_type: 'notification.read' },
  ],
  [
    'webhooks.deliveries',
    c => c.webhooks.deliveries(id, { status: 'failed' }),
    `GET /v1/webhooks/${id}/deliveries?status=failed`,
  ],
  ['webhooks.delivery', c => c.webhooks.delivery(id, id), `GET /v1/webhooks/${id}/deliveries/${id}`],
  [
    'webhooks.redeliver',
    c => c.webhooks.redeliver(id, id),
    `POST /v1/webhooks/${id}/deliveries/${id}/redeliver`,
  ],
  [
    'webhooks.recover',
    c => c.webhooks.recover(id, { since: '2026-01-01T00:00:00Z', rate_limit: 60 }),
    `POST /v1/webhooks/${id}/recoveries`,
    { since: '2026-01-01T00:00:00Z', rate_limit: 60 },
  ],
  ['webhooks.recovery', c => c.webhooks.recovery(id, id), `GET /v1/webhooks/${id}/recoveries/${id}`],
]
