import { WEBHOOK_EXAMPLES, type WebhookEventType } from '@carillon/contract'
import { beforeAll, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { aReceiver, aWebhook, dispatchWebhooks } from '../../../test/webhooks.ts'

const carillon = useCarillon()
const toAda = { audience: { kind: 'users', user_ids: ['ada'] }, channels: ['email'] }
beforeAll(() => carillon.putUser('ada', { email: 'ada@example.com' }))

const HEALTHY = 99
const EVENTS = 5
const BACKLOG = 300

// `npm run bench -- webhooks` measures how much slower the others get. This test only checks that none of them waits:
// every event reaches all of them while the requests to the slow one are still open.
it('one endpoint that hangs, with a backlog of its own, does not delay 99 healthy ones', async () => {
  const receiver = await aReceiver()
  const hanging = await aReceiver()
  hanging.answerWith(() => 'hang')
  const events: [WebhookEventType] = ['notification.accepted']
  for (let i = 0; i < HEALTHY; i++)
    await aWebhook(carillon, { url: `${receiver.url}/${i}`, events, payload_mode: 'thin' })
  const slow = await aWebhook(carillon, { url: hanging.url, events, timeout_seconds: 60 })
  await carillon.pool.query(
    `insert into outbox (id, tenant_id, source_kind, op, target_id, payload, context)
     select uuid_v7(), $1, 'webhook', $3, $2, $4,
       jsonb_build_object('event_id', uuid_v7(), 'notification_id', null, 'traceparent', '', 'content_type', 'application/json')
     from generate_series(1, $5::integer)`,
    [carillon.tenantId, slow.id, events[0], JSON.stringify(WEBHOOK_EXAMPLES[events[0]]), BACKLOG],
  )
  const { dispatched } = dispatchWebhooks(carillon, { concurrency: 200 })
  await waitFor(async () => hanging.requests.length >= 8, { what: 'the slow endpoint to be busy' })

  for (let i = 1; i <= EVENTS; i++) {
    await carillon.send(toAda)
    await waitFor(async () => receiver.requests.length === i * HEALTHY, {
      what: `event ${i} at all healthy endpoints`,
    })
  }
  expect(dispatched.filter(({ row }) => row.target_id === slow.id)).toEqual([])
  expect(hanging.connections.open).toBeGreaterThan(0)
})
