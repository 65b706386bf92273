/** The methods about intents, their records and what becomes of them. */
import { type Call, id, intent } from './call.ts'

export const RECORD_CALLS: Call[] = [
  [
    'intents.send',
    c => c.intents.send(intent, { idempotencyKey: 'k1' }),
    'POST /v1/intents',
    { ...intent, idempotency_key: 'k1' },
  ],
  [
    'intents.sendBatch',
    c => c.intents.sendBatch({ intents: [intent] }),
    'POST /v1/intents/batch',
    { intents: [intent] },
  ],
  ['intents.simulate', c => c.intents.simulate(intent), 'POST /v1/intents/simulate', intent],
  [
    'records.list',
    c => c.records.list({ notification_type: 'a b', limit: 5 }),
    'GET /v1/records?notification_type=a+b&limit=5',
  ],
  ['records.get', c => c.records.get(id), `GET /v1/records/${id}`],
  ['records.routes', c => c.records.routes(id, { limit: 2 }), `GET /v1/records/${id}/routes?limit=2`],
  [
    'records.explain',
    c => c.records.explain(id, { user_id: 'ada' }),
    `GET /v1/records/${id}/explain?user_id=ada`,
  ],
  ['records.cancel', c => c.records.cancel(id), `POST /v1/records/${id}/cancel`],
  ['routes.list', c => c.routes.list({ status: 'dead' }), 'GET /v1/routes?status=dead'],
  [
    'routes.attempts',
    c => c.routes.attempts({ notification_id: id, route_id: 'email:ada@example.com' }),
    `GET /v1/routes/attempts?notification_id=${id}&route_id=email%3Aada%40example.com`,
  ],
  [
    'routes.message',
    c => c.routes.message({ notification_id: id, route_id: 'email:ada@example.com' }),
    `GET /v1/routes/message?notification_id=${id}&route_id=email%3Aada%40example.com`,
  ],
  ['malformedIntents.list', c => c.malformedIntents.list(), 'GET /v1/malformed-intents'],
  ['deadLetters.list', c => c.deadLetters.list({ state: 'all' }), 'GET /v1/dead-letters?state=all'],
  ['deadLetters.count', c => c.deadLetters.count({ source: 'kv' }), 'GET /v1/dead-letters/count?source=kv'],
  [
    'deadLetters.groups',
    c => c.deadLetters.groups({ provider: '' }),
    'GET /v1/dead-letters/groups?provider=',
  ],
  ['deadLetters.get', c => c.deadLetters.get(id), `GET /v1/dead-letters/${id}`],
  ['deadLetters.replay', c => c.deadLetters.replay(id), `POST /v1/dead-letters/${id}/replay`, {}],
  ['deadLetters.resolve', c => c.deadLetters.resolve(id), `POST /v1/dead-letters/${id}/resolve`, {}],
  [
    'deadLetters.replayAll',
    c => c.deadLetters.replayAll({ filter: { channel: 'email' }, dry_run: true }),
    'POST /v1/dead-letters/replay',
    { filter: { channel: 'email' }, dry_run: true },
  ],
  [
    'deadLetters.resolveAll',
    c => c.deadLetters.resolveAll({ filter: { provider: 'smtp' }, limit: 5 }),
    'POST /v1/dead-letters/resolve',
    { filter: { provider: 'smtp' }, limit: 5 },
  ],
  ['emailLog.list', c => c.emailLog.list({ user_id: 'ada' }), 'GET /v1/email-log?user_id=ada'],
  [
    'capturedMessages.list',
    c => c.capturedMessages.list({ channel: 'sms' }),
    'GET /v1/captured-messages?channel=sms',
  ],
]
