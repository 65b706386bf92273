import { beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
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

const show = async (id: string) => (await carillon.request('GET', `/v1/webhooks/${id}`)).body
const change = (id: string, body: object) => carillon.request('PATCH', `/v1/webhooks/${id}`, { body })
const eventsAbout = async (id: string) =>
  (await carillon.readAll('/v1/system-events?event_type=webhook_disabled')).filter(
    ({ subject }) => subject === id,
  )
const ended = (id: string, count: number) =>
  waitFor(
    async () =>
      (await deliveriesOf(carillon, id)).filter(({ status }) => status !== 'retrying').length === count,
    {
      what: `${count} ended deliveries`,
    },
  )
async function sendMany(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await carillon.send(toAda)
}

describe('an endpoint that fails', () => {
  it('is disabled after 50 deliveries in a row that failed for good, with a system event', {
    tags: ['S002-16', 'S004-13'],
  }, async () => {
    const receiver = await aReceiver()
    receiver.answerWith(() => ({ status: 400 }))
    const webhook = await aWebhook(carillon, { url: receiver.url, events: ['notification.accepted'] })
    dispatchWebhooks(carillon)
    await sendMany(49)
    await ended(webhook.id, 49)
    expect(await show(webhook.id)).toMatchObject({ is_active: true, consecutive_failures: 49 })
    await sendMany(1)
    await ended(webhook.id, 50)
    expect(await show(webhook.id)).toMatchObject({
      is_active: false,
      consecutive_failures: 50,
      disabled_reason: 'failing',
      disabled_at: expect.any(String),
    })
    expect(await eventsAbout(webhook.id)).toMatchObject([
      {
        severity: 'high',
        is_resolved: false,
        description: expect.stringContaining('50 deliveries in a row failed'),
      },
    ])
    await sendMany(1)
    const kept = (await deliveriesOf(carillon, webhook.id)).filter(({ attempt_count }) => attempt_count === 0)
    expect(kept).toMatchObject([{ status: 'failed', response_status: null }])

    await change(webhook.id, { is_active: true })
    expect(await show(webhook.id)).toMatchObject({
      is_active: true,
      consecutive_failures: 0,
      disabled_at: null,
      disabled_reason: '',
    })
    expect(await eventsAbout(webhook.id)).toMatchObject([{ is_resolved: true }])
    receiver.answerWith(() => ({ status: 200 }))
    await sendMany(1)
    await ended(webhook.id, 52)
    expect((await deliveriesOf(carillon, webhook.id))[0]).toMatchObject({ status: 'delivered' })
  })

  it('is counted from 0 again after a success, and is never disabled if disable_after is null', async () => {
    const receiver = await aReceiver()
    let answers = 0
    receiver.answerWith(() => ({ status: ++answers === 3 ? 200 : 400 }))
    const strict = await aWebhook(carillon, {
      url: receiver.url,
      events: ['notification.accepted'],
      disable_after: 3,
      ordering: 'endpoint',
    })
    dispatchWebhooks(carillon)
    await sendMany(5)
    await ended(strict.id, 5)
    expect(await show(strict.id)).toMatchObject({ is_active: true, consecutive_failures: 2 })
    await change(strict.id, { disable_after: null })
    await sendMany(4)
    await ended(strict.id, 9)
    expect(await show(strict.id)).toMatchObject({ is_active: true, consecutive_failures: 6 })
  })

  it('is not disabled by attempts that will be repeated, so a short outage does not disable it', async () => {
    const receiver = await aReceiver()
    receiver.answerWith(() => ({ status: 503 }))
    const webhook = await aWebhook(carillon, {
      url: receiver.url,
      events: ['notification.accepted'],
      disable_after: 1,
    })
    dispatchWebhooks(carillon)
    await sendMany(5)
    await waitFor(async () => (await deliveriesOf(carillon, webhook.id)).length === 5, {
      what: 'five attempts',
    })
    expect(await show(webhook.id)).toMatchObject({ is_active: true, consecutive_failures: 0, waiting: 5 })
  })

  it('is disabled by 410 at once; what still waits is given up and can be recovered', {
    tags: 'S002-16',
  }, async () => {
    const receiver = await aReceiver()
    receiver.answerWith(() => ({ status: 410 }))
    const webhook = await aWebhook(carillon, {
      url: receiver.url,
      events: ['notification.accepted'],
      ordering: 'endpoint',
    })
    await sendMany(3)
    dispatchWebhooks(carillon)
    await ended(webhook.id, 3)
    expect(receiver.requests).toHaveLength(1)
    expect(await show(webhook.id)).toMatchObject({ is_active: false, disabled_reason: 'gone', waiting: 0 })
    expect(await eventsAbout(webhook.id)).toMatchObject([
      { description: expect.stringContaining('410 Gone') },
    ])
    const [last] = await deliveriesOf(carillon, webhook.id)
    expect(last).toMatchObject({ status: 'failed', response_status: null })

    const since = '2020-01-01T00:00:00Z'
    const refused = await carillon.request('POST', `/v1/webhooks/${webhook.id}/recoveries`, {
      body: { since },
    })
    expect([refused.status, refused.body.code]).toEqual([409, 'not_active'])
    receiver.answerWith(() => ({ status: 200 }))
    await change(webhook.id, { is_active: true })
    const started = await carillon.request('POST', `/v1/webhooks/${webhook.id}/recoveries`, {
      body: { since },
    })
    expect(started.body).toMatchObject({ matched: 3, finished_at: null })
    await waitFor(async () => (await deliveriesOf(carillon, webhook.id, '?status=delivered')).length === 3, {
      what: 'all three',
    })
  })

  it('and is deleted leaves dead letters, and its deliveries are deleted with it', {
    tags: 'S003-13',
  }, async () => {
    const receiver = await aReceiver()
    receiver.answerWith(() => ({ status: 500 }))
    const webhook = await aWebhook(carillon, { url: receiver.url, events: ['notification.accepted'] })
    const dispatcher = dispatchWebhooks(carillon)
    await sendMany(1)
    await settledDelivery(carillon, webhook.id, 'retrying')
    await carillon.request('DELETE', `/v1/webhooks/${webhook.id}`)
    await skipWebhookWaiting(carillon)
    await waitFor(async () => dispatcher.dispatched.length === 2, { what: 'the second dispatch' })
    const letters = await carillon.readAll(`/v1/dead-letters?target_id=${webhook.id}`)
    expect(letters).toMatchObject([{ failure_reason: 'target_missing', final_attempt_count: 2 }])
    expect(
      (await carillon.pool.query('select from webhook_deliveries where webhook_id = $1', [webhook.id]))
        .rowCount,
    ).toBe(0)
  })
})

describe('a paused endpoint', () => {
  it('gets nothing, loses nothing, and gets everything when the pause is over', async () => {
    const receiver = await aReceiver()
    const webhook = await aWebhook(carillon, {
      url: receiver.url,
      events: ['notification.accepted'],
      is_paused: true,
    })
    const dispatcher = dispatchWebhooks(carillon)
    await sendMany(3)
    await waitFor(async () => dispatcher.dispatched.length >= 3, { what: 'a dispatch of each' })
    expect(receiver.requests).toHaveLength(0)
    expect(await show(webhook.id)).toMatchObject({ is_paused: true, waiting: 3 })
    await change(webhook.id, { is_paused: false })
    await ended(webhook.id, 3)
    expect(receiver.requests).toHaveLength(3)
    expect((await deliveriesOf(carillon, webhook.id)).map(({ attempt_count }) => attempt_count)).toEqual([
      1, 1, 1,
    ])
  })
})

describe('a chain', () => {
  it('of webhooks about disabled webhooks is counted', { tags: 'S003-12' }, async () => {
    const receiver = await aReceiver()
    receiver.answerWith(() => ({ status: 410 }))
    const gone = await aWebhook(carillon, { url: receiver.url, events: ['notification.accepted'] })
    const watching = await aWebhook(carillon, {
      url: 'https://example.com',
      events: ['system_event.raised'],
      is_paused: true,
    })
    dispatchWebhooks(carillon)
    await sendMany(1)
    await ended(gone.id, 1)
    const { rows } = await carillon.pool.query(
      'select op, trigger_depth, payload from outbox where target_id = $1',
      [watching.id],
    )
    expect(rows).toMatchObject([{ op: 'system_event.raised', trigger_depth: 1 }])
    expect(JSON.parse(rows[0].payload).data).toMatchObject({
      event_type: 'webhook_disabled',
      subject: gone.id,
    })
  })
})
