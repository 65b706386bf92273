/** The methods about events and those who read them. */
import { type Call, id } from './call.ts'

export const EVENT_CALLS: Call[] = [
  [
    'events.explain',
    c => c.events.explain(id, { user_id: 'ada' }),
    `GET /v1/events/${id}/explain?user_id=ada`,
  ],
  ['events.simulate', c => c.events.simulate({ kind: 'k' }), 'POST /v1/events/simulate', { kind: 'k' }],
  ['events.list', c => c.events.list({ kind: 'k' }), 'GET /v1/events?kind=k'],
  ['events.get', c => c.events.get(id), `GET /v1/events/${id}`],
  [
    'events.emit',
    c => c.events.emit({ kind: 'k' }, { idempotencyKey: 'a' }),
    'POST /v1/events',
    { kind: 'k', idempotency_key: 'a' },
  ],
  [
    'events.emitBatch',
    c => c.events.emitBatch({ events: [{ kind: 'k' }] }),
    'POST /v1/events/batch',
    { events: [{ kind: 'k' }] },
  ],
  ['events.consumers', c => c.events.consumers(), 'GET /v1/event-consumers'],
  [
    'events.resetConsumer',
    c => c.events.resetConsumer('webhooks', 7),
    'POST /v1/event-consumers/webhooks/reset',
    { to_event_id: 7 },
  ],
]
