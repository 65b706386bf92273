import { beforeEach, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { drainAll, emit, emptyLog } from '../../../test/events.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { aReceiver, aWebhook, deliveriesOf, dispatchWebhooks } from '../../../test/webhooks.ts'
import { waitingFor } from '../../reactions/webhooks/events.fixture.ts'
import { createWebhooksConsumer } from './webhooks-consumer.ts'

const carillon = useCarillon()
const consumer = createWebhooksConsumer(() => {})
const drain = () => drainAll(carillon.pool, consumer, carillon.tenantId)
const subscribe = (more: object = {}) =>
  aWebhook(carillon, { url: 'https://example.com/hook', events: ['event.emitted'], ...more })
const reset = () =>
  carillon.request('POST', '/v1/event-consumers/webhooks/reset', { body: { to_event_id: 0 } })
const AN_EVENT = {
  ...{
    kind: 'issue_opened',
    actor_id: 'ada',
    topic: 'shop',
    thread: { kind: 'issue', id: '7', title: 'Cart' },
  },
  ...{ relations: { mention: ['bob'] }, payload: { n: 1 } },
}

beforeEach(async () => {
  await emptyLog(carillon.pool)
  await carillon.pool.query('delete from outbox')
})

it('a webhook that subscribes to event.emitted gets what happened, in each of its forms', {
  tags: 'S001-16',
}, async () => {
  const [full, thin, cloud] = [
    await subscribe(),
    await subscribe({ payload_mode: 'thin' }),
    await subscribe({ format: 'cloudevents' }),
  ]
  const other = await subscribe({ events: ['notification.sent'] })
  const event_id = await emit(carillon.pool, AN_EVENT)
  await drain()
  const [row] = await waitingFor(carillon, full.id)
  const body = JSON.parse(row!.payload)
  expect(body).toMatchObject({ id: event_id, type: 'event.emitted' })
  expect(body.data).toMatchObject({
    ...{ event_id, kind: 'issue_opened', actor_id: 'ada', topic: 'shop', payload: { n: 1 } },
    ...{ thread: { kind: 'issue', id: '7', title: 'Cart' }, relations: { mention: ['bob'] } },
  })
  const [short] = await waitingFor(carillon, thin.id)
  expect(JSON.parse(short!.payload).data).toEqual({ event_id, kind: 'issue_opened' })
  const [cloudEvent] = await waitingFor(carillon, cloud.id)
  expect(JSON.parse(cloudEvent!.payload)).toMatchObject({
    id: event_id,
    subject: event_id,
    data: body.data,
  })
  expect(await waitingFor(carillon, other.id)).toEqual([])
})

it('a webhook gets only the kinds that it wants, in the order of threads and topics', async () => {
  const webhook = await subscribe({ event_kinds: ['issue_*', 'paid'], ordering: 'recipient' })
  expect(webhook.event_kinds).toEqual(['issue_*', 'paid'])
  const events = [AN_EVENT, { kind: 'paid', topic: 'shop' }, { kind: 'pr_opened' }, { kind: 'paid' }]
  for (const event of events) await emit(carillon.pool, event)
  await drain()
  const rows = await waitingFor(carillon, webhook.id)
  expect(rows.map(row => [JSON.parse(row.payload).data.kind, row.ordering_key])).toEqual([
    ['issue_opened', 'thread issue/7'],
    ['paid', 'topic shop'],
    ['paid', 'event paid'],
  ])
  const changed = await carillon.request('PATCH', `/v1/webhooks/${webhook.id}`, {
    body: { event_kinds: ['*x'] },
  })
  expect(changed.body.errors[0].field).toBe('event_kinds.0')
})

it('a webhook is not told twice when events are read again, delivered or not', {
  tags: 'S001-19',
}, async () => {
  const receiver = await aReceiver()
  const webhook = await subscribe({ url: receiver.url })
  await emit(carillon.pool, AN_EVENT)
  await drain()
  await reset()
  await drain()
  expect(await waitingFor(carillon, webhook.id)).toHaveLength(1)
  dispatchWebhooks(carillon)
  await waitFor(async () => (await deliveriesOf(carillon, webhook.id)).length === 1, {
    what: 'the delivery',
  })
  await reset()
  await drain()
  expect(await waitingFor(carillon, webhook.id)).toEqual([])
  expect(receiver.requests).toHaveLength(1)
})

it('an inactive webhook has its events kept once', async () => {
  const webhook = await subscribe()
  await carillon.request('PATCH', `/v1/webhooks/${webhook.id}`, { body: { is_active: false } })
  await emit(carillon.pool, AN_EVENT)
  await drain()
  await reset()
  await drain()
  expect(await deliveriesOf(carillon, webhook.id)).toMatchObject([
    { event_type: 'event.emitted', status: 'failed', attempt_count: 0 },
  ])
})
