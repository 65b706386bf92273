import {
  ThinNotificationData,
  ThinSystemEventData,
  WEBHOOK_EVENTS,
  WEBHOOK_EXAMPLES,
  WebhookCloudEvent,
} from '@carillon/contract'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { beforeAll, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { waitFor } from '../../../test/wait-for.ts'
import {
  aReceiver,
  aWebhook,
  deliveriesOf,
  dispatchWebhooks,
  settledDelivery,
  skipWebhookWaiting,
} from '../../../test/webhooks.ts'

const carillon = useCarillon()
const toAda = { audience: { kind: 'users', user_ids: ['ada'] }, channels: ['email'] }
beforeAll(() => carillon.putUser('ada', { email: 'ada@example.com' }))

const post = (path: string, body?: object) =>
  carillon.request('POST', `/v1/webhooks/${path}`, body === undefined ? {} : { body })
const lettersFor = (id: string, state = 'all') =>
  carillon.readAll(`/v1/dead-letters?target_id=${id}&state=${state}`)

async function aFailedDelivery() {
  const receiver = await aReceiver()
  receiver.answerWith(() => ({ status: 400 }))
  const webhook = await aWebhook(carillon, { url: receiver.url, events: ['notification.accepted'] })
  const dispatcher = dispatchWebhooks(carillon)
  const notificationId = await carillon.send(toAda)
  const delivery = await settledDelivery(carillon, webhook.id, 'failed')
  return { receiver, webhook, dispatcher, delivery, notificationId }
}

describe('sending one again', () => {
  it('makes a new delivery that refers to the old one, with the same webhook-id and body, and resolves its letter', {
    tags: 'S002-17',
  }, async () => {
    const { receiver, webhook, delivery } = await aFailedDelivery()
    receiver.answerWith(() => ({ status: 200 }))
    expect(await lettersFor(webhook.id, 'open')).toHaveLength(1)
    const answer = await post(`${webhook.id}/deliveries/${delivery.id}/redeliver`)
    expect(answer).toMatchObject({ status: 202, body: { redelivery_of: delivery.id } })
    const again = await settledDelivery(carillon, webhook.id, 'delivered')
    expect(again).toMatchObject({
      id: answer.body.id,
      redelivery_of: delivery.id,
      event_id: delivery.event_id,
      payload: delivery.payload,
    })
    const [first, second] = receiver.requests
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id'])
    expect(second!.headers['carillon-delivery']).not.toBe(first!.headers['carillon-delivery'])
    expect(second!.body).toEqual(first!.body)
    expect(await lettersFor(webhook.id)).toMatchObject([{ resolution: 'replayed' }])
  })

  it('is refused while the delivery is still being retried, and for one that does not exist', async () => {
    const receiver = await aReceiver()
    receiver.answerWith(() => ({ status: 500 }))
    const webhook = await aWebhook(carillon, { url: receiver.url, events: ['notification.accepted'] })
    dispatchWebhooks(carillon)
    await carillon.send(toAda)
    const delivery = await settledDelivery(carillon, webhook.id, 'retrying')
    expect(problemOf(await post(`${webhook.id}/deliveries/${delivery.id}/redeliver`)).code).toBe(
      'still_retrying',
    )
    expect(problemOf(await post(`${webhook.id}/deliveries/${webhook.id}/redeliver`)).code).toBe('not_found')
  })

  it('replaying the dead letter does the same', { tags: 'S003-25' }, async () => {
    const { receiver, webhook, delivery } = await aFailedDelivery()
    receiver.answerWith(() => ({ status: 200 }))
    const [letter] = await lettersFor(webhook.id)
    expect((await carillon.request('POST', `/v1/dead-letters/${letter.id}/replay`)).status).toBe(200)
    const again = await settledDelivery(carillon, webhook.id, 'delivered')
    expect(again).toMatchObject({
      redelivery_of: delivery.id,
      event_id: delivery.event_id,
      payload: delivery.payload,
    })
    // Nothing is left to recover.
    const recovery = await post(`${webhook.id}/recoveries`, { since: '2020-01-01T00:00:00Z' })
    expect(recovery.body.matched).toBe(0)
  })
})

describe('recovering', () => {
  it('sends everything that failed since a given time again, once, and reports its progress', async () => {
    const receiver = await aReceiver()
    receiver.answerWith(() => ({ status: 400 }))
    const webhook = await aWebhook(carillon, { url: receiver.url, events: ['notification.accepted'] })
    const dispatcher = dispatchWebhooks(carillon)
    await carillon.send(toAda)
    await settledDelivery(carillon, webhook.id, 'failed')
    const { rows } = await carillon.pool.query('select now() as now')
    for (let i = 0; i < 4; i++) await carillon.send(toAda)
    await waitFor(async () => (await deliveriesOf(carillon, webhook.id)).length === 5, {
      what: 'five failures',
    })
    receiver.answerWith(request => ({ status: receiver.requests.indexOf(request) === 5 ? 400 : 200 }))

    const started = await post(`${webhook.id}/recoveries`, { since: rows[0].now.toISOString() })
    expect(started).toMatchObject({
      status: 202,
      body: { matched: 4, redelivered: 0, delivered: 0, failed: 0, finished_at: null },
    })
    const progress = async () =>
      (await carillon.request('GET', `/v1/webhooks/${webhook.id}/recoveries/${started.body.id}`)).body
    await waitFor(async () => (await progress()).delivered + (await progress()).failed === 4, {
      what: 'the recovery',
    })
    expect(await progress()).toMatchObject({
      matched: 4,
      redelivered: 4,
      delivered: 3,
      failed: 1,
      finished_at: expect.any(String),
    })
    expect(await lettersFor(webhook.id, 'open')).toHaveLength(2)

    // The one that failed before that time, and the one that failed again.
    const second = await post(`${webhook.id}/recoveries`, { since: '2020-01-01T00:00:00Z' })
    expect(second.body.matched).toBe(2)
    await waitFor(async () => (await deliveriesOf(carillon, webhook.id, '?status=delivered')).length === 5, {
      what: 'the rest',
    })
    expect((await post(`${webhook.id}/recoveries`, { since: '2020-01-01T00:00:00Z' })).body.matched).toBe(0)
    await dispatcher.stop()
  })

  it('keeps to its rate: at 120 a minute, two per second are put into the queue', async () => {
    const receiver = await aReceiver()
    receiver.answerWith(() => ({ status: 400 }))
    const webhook = await aWebhook(carillon, { url: receiver.url, events: ['notification.accepted'] })
    const { dispatched } = dispatchWebhooks(carillon)
    for (let i = 0; i < 5; i++) await carillon.send(toAda)
    await waitFor(async () => (await deliveriesOf(carillon, webhook.id)).length === 5, {
      what: 'five failures',
    })
    receiver.answerWith(() => ({ status: 200 }))
    const started = await post(`${webhook.id}/recoveries`, { since: '2020-01-01T00:00:00Z', rate_limit: 120 })
    const progress = async () =>
      (await carillon.request('GET', `/v1/webhooks/${webhook.id}/recoveries/${started.body.id}`)).body
    const isOver = async () => {
      await skipWebhookWaiting(carillon)
      return (await progress()).delivered === 5
    }
    await waitFor(isOver, { what: 'all of them' })
    // Two, two and the last one.
    const chunks = dispatched.filter(({ row }) => row.source_kind === 'webhook_recovery')
    expect(chunks.map(({ completion }) => completion.delay_ms)).toEqual([1000, 1000, null])
    await carillon.pool.query("delete from outbox where source_kind = 'webhook_recovery'")
  })
})

describe('a test event', () => {
  it.each([...WEBHOOK_EVENTS])(
    'of %s is signed, looks like the example, and shows the answer',
    { tags: 'S002-17' },
    async event_type => {
      const receiver = await aReceiver()
      receiver.answerWith(() => ({ status: 202, body: 'got it' }))
      const webhook = await aWebhook(carillon, { url: receiver.url, is_paused: true })
      const answer = await post(`${webhook.id}/test`, { event_type })
      expect(answer).toMatchObject({
        status: 200,
        body: {
          status: 'delivered',
          is_test: true,
          event_type,
          attempts: [{ status: 202, response_body: 'got it' }],
        },
      })
      const [request] = receiver.requests
      const body = new StandardWebhook(webhook.secret).verify(
        request!.body.toString(),
        request!.headers as Record<string, string>,
      )
      expect(body).toMatchObject({ type: event_type, data: WEBHOOK_EXAMPLES[event_type].data })
    },
  )

  it('has the format and the payload mode of the endpoint, like every other event', async () => {
    const receiver = await aReceiver()
    const cloud = await aWebhook(carillon, { url: receiver.url, format: 'cloudevents' })
    const thin = await aWebhook(carillon, { url: receiver.url, format: 'cloudevents', payload_mode: 'thin' })
    for (const { id } of [cloud, thin]) {
      await post(`${id}/test`, { event_type: 'notification.sent' })
      await post(`${id}/test`, { event_type: 'system_event.raised' })
    }
    const bodies = receiver.requests.map(request => JSON.parse(request.body.toString()))
    expect(bodies.map(body => WebhookCloudEvent.safeParse(body).error)).toEqual(Array(4).fill(undefined))
    expect(bodies.map(body => body.subject.split('/')[1] ?? body.subject)).toEqual([
      'email:user:ada',
      '7',
      'email:user:ada',
      '7',
    ])
    expect(bodies[0].data).toEqual(WEBHOOK_EXAMPLES['notification.sent'].data)
    expect(Object.keys(bodies[2].data)).toEqual(Object.keys(ThinNotificationData.shape))
    expect(Object.keys(bodies[3].data)).toEqual(Object.keys(ThinSystemEventData.shape))
    for (const { headers } of receiver.requests)
      expect(headers['content-type']).toBe('application/cloudevents+json')
  })

  it('that fails is not retried and does not count against the endpoint', async () => {
    const receiver = await aReceiver()
    receiver.answerWith(() => ({ status: 410 }))
    const webhook = await aWebhook(carillon, { url: receiver.url })
    const answer = await post(`${webhook.id}/test`, {})
    expect(answer.body).toMatchObject({ status: 'failed', response_status: 410, next_retry_at: null })
    expect((await carillon.request('GET', `/v1/webhooks/${webhook.id}`)).body).toMatchObject({
      is_active: true,
      consecutive_failures: 0,
    })
    expect((await post(`${webhook.id}/recoveries`, { since: '2020-01-01T00:00:00Z' })).body.matched).toBe(0)
  })
})

describe('order and batches', () => {
  it('FIFO per notification: accepted arrives before sent, even if it has to be repeated', async () => {
    const receiver = await aReceiver()
    const seen = new Map<string, string[]>()
    receiver.answerWith(request => {
      const { type, data } = JSON.parse(request.body.toString())
      const first =
        receiver.requests.filter(other => other.headers['webhook-id'] === request.headers['webhook-id'])
          .length === 1
      if (first && type === 'notification.accepted') return { status: 503 }
      seen.set(data.notification_id, [...(seen.get(data.notification_id) ?? []), type])
      return { status: 200 }
    })
    await aWebhook(carillon, {
      url: receiver.url,
      events: ['notification.accepted', 'notification.sent'],
      ordering: 'notification',
      retry_base_ms: 50,
    })
    for (let i = 0; i < 2; i++) dispatchWebhooks(carillon)
    const worker = carillon.deliver(() => ({ kind: 'sent' }))
    const ids = await Promise.all([1, 2, 3, 4].map(() => carillon.send(toAda)))
    await waitFor(async () => ids.every(id => seen.get(id)?.length === 2), { what: 'both events of each' })
    await worker.stop()
    for (const id of ids) expect(seen.get(id)).toEqual(['notification.accepted', 'notification.sent'])
  })

  it('events of one window go out in one request, signed as one, each with its own id', async () => {
    const receiver = await aReceiver()
    receiver.answerWith(() => ({ status: receiver.requests.length === 1 ? 503 : 200 }))
    const webhook = await aWebhook(carillon, {
      url: receiver.url,
      events: ['notification.accepted'],
      batch_size: 10,
      batch_seconds: 1,
      retry_base_ms: 1,
    })
    for (let i = 0; i < 3; i++) await carillon.send(toAda)
    await skipWebhookWaiting(carillon)
    dispatchWebhooks(carillon)
    const delivery = await settledDelivery(carillon, webhook.id, 'delivered')
    expect(delivery).toMatchObject({ event_type: 'batch', attempt_count: 2, notification_id: null })
    const [first, second] = receiver.requests
    expect(second!.body).toEqual(first!.body)
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id'])
    const batch = new StandardWebhook(webhook.secret).verify(
      second!.body.toString(),
      second!.headers as Record<string, string>,
    ) as {
      type: string
      data: { id: string; type: string }[]
    }
    expect(batch.type).toBe('batch')
    expect(batch.data.map(({ type }) => type)).toEqual(Array(3).fill('notification.accepted'))
    expect(new Set(batch.data.map(({ id }) => id)).size).toBe(3)
  })

  it('a batch of CloudEvents is a JSON array with the media type for batches', async () => {
    const receiver = await aReceiver()
    await aWebhook(carillon, {
      url: receiver.url,
      events: ['notification.accepted'],
      format: 'cloudevents',
      batch_size: 10,
    })
    for (let i = 0; i < 3; i++) await carillon.send(toAda)
    dispatchWebhooks(carillon)
    await waitFor(async () => receiver.requests.length === 1, { what: 'the batch' })
    expect(receiver.requests[0]!.headers['content-type']).toBe('application/cloudevents-batch+json')
    expect(JSON.parse(receiver.requests[0]!.body.toString())).toMatchObject(
      Array(3).fill({ specversion: '1.0' }),
    )
  })
})

describe('the list', () => {
  it('has filters and pages, newest first; deliveries are deleted with their notification', {
    tags: 'S002-17',
  }, async () => {
    const receiver = await aReceiver()
    receiver.answerWith(() => ({ status: receiver.requests.length % 2 === 0 ? 400 : 200 }))
    const webhook = await aWebhook(carillon, {
      url: receiver.url,
      events: ['notification.accepted'],
      ordering: 'endpoint',
    })
    dispatchWebhooks(carillon)
    const ids: string[] = []
    for (let i = 0; i < 5; i++) ids.push(await carillon.send(toAda))
    await waitFor(async () => (await deliveriesOf(carillon, webhook.id)).length === 5, {
      what: 'five deliveries',
    })
    const paged = await carillon.readAll(`/v1/webhooks/${webhook.id}/deliveries`, 2)
    expect(paged.map(({ notification_id }) => notification_id)).toEqual(ids.toReversed())
    expect(await deliveriesOf(carillon, webhook.id, '?status=failed')).toHaveLength(2)
    expect(await deliveriesOf(carillon, webhook.id, `?notification_id=${ids[0]}`)).toHaveLength(1)
    expect(await deliveriesOf(carillon, webhook.id, '?event_type=notification.read')).toHaveLength(0)

    await carillon.pool.query('delete from records where notification_id = $1', [ids[0]])
    expect(await deliveriesOf(carillon, webhook.id)).toHaveLength(4)
  })

  it('has no delivery of an event that is sent after its notification was deleted; the event is completed', {
    tags: 'S002-17',
  }, async () => {
    const receiver = await aReceiver()
    const webhook = await aWebhook(carillon, { url: receiver.url, events: ['notification.accepted'] })
    const id = await carillon.send(toAda)
    await carillon.pool.query('delete from records where notification_id = $1', [id])
    const dispatcher = dispatchWebhooks(carillon)
    await waitFor(async () => dispatcher.dispatched.length === 1, { what: 'the dispatch' })
    expect(dispatcher.dispatched[0]).toMatchObject({ completed: true, completion: { action: 'done' } })
    expect(receiver.requests).toHaveLength(1)
    expect(await deliveriesOf(carillon, webhook.id)).toEqual([])
  })

  it('explain shows what was sent to webhooks', async () => {
    const { webhook, notificationId } = await aFailedDelivery()
    const { body } = await carillon.request('GET', `/v1/records/${notificationId}/explain`)
    const sent = body.decisions.filter(({ decision }: { decision: string }) => decision === 'webhook')
    expect(sent).toHaveLength(1)
    expect(sent[0].text).toContain('notification.accepted')
    expect(sent[0].text).toContain(new URL(webhook.url).origin)
    expect(sent[0].text).toContain('refused it with 400')
  })
})
