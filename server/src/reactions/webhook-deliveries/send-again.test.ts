/**
 * Sending again means the same however it is asked for: replaying the letter, redelivering, recovering the endpoint.
 */
import type { CreatedWebhook, NewWebhook, WebhookDeliveryDetail } from '@carillon/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import type { HttpReceiver } from '../../../test/receivers/http-receiver.ts'
import { waitFor } from '../../../test/wait-for.ts'
import {
  aReceiver,
  aWebhook,
  deliveriesOf,
  dispatchWebhooks,
  settledDelivery,
  skipWebhookWaiting,
} from '../../../test/webhooks.ts'
import { raiseSystemEvent } from '../../oversight/system-events/system-events.ts'

const carillon = useCarillon()
const toAda = { audience: { kind: 'users', user_ids: ['ada'] }, channels: ['email'] }
beforeAll(() => carillon.putUser('ada', { email: 'ada@example.com' }))

const lettersFor = (webhook: { id: string }) =>
  carillon.readAll(`/v1/dead-letters?target_id=${webhook.id}&state=open`)

async function recover(webhook: { id: string }) {
  const path = `/v1/webhooks/${webhook.id}/recoveries`
  const { body } = await carillon.request('POST', path, { body: { since: '2020-01-01T00:00:00Z' } })
  await waitFor(async () => (await carillon.request('GET', `${path}/${body.id}`)).body.finished_at !== null, {
    what: 'the recovery',
  })
}

/** Each sends again everything that failed. */
const WAYS: [string, (webhook: { id: string }) => Promise<void>][] = [
  [
    'replaying its dead letter',
    async webhook => {
      for (const letter of (await lettersFor(webhook)).reverse())
        await carillon.request('POST', `/v1/dead-letters/${letter.id}/replay`)
    },
  ],
  [
    'replaying dead letters by filter',
    async webhook => {
      const body = { filter: { target_id: webhook.id } }
      await carillon.request('POST', '/v1/dead-letters/replay', { body })
    },
  ],
  [
    'redelivering it',
    async webhook => {
      for (const { id } of (await deliveriesOf(carillon, webhook.id, '?status=failed')).reverse())
        await carillon.request('POST', `/v1/webhooks/${webhook.id}/deliveries/${id}/redeliver`)
    },
  ],
  ['recovering its endpoint', recover],
]

const HOUR_MS = 3_600_000

interface Failed {
  receiver: HttpReceiver
  webhook: CreatedWebhook
  failed: WebhookDeliveryDetail
}

/** One event that an endpoint refused for good. */
async function aFailedDelivery(settings: Partial<NewWebhook> = {}): Promise<Failed> {
  const receiver = await aReceiver()
  receiver.answerWith(() => ({ status: 400 }))
  const webhook = await aWebhook(carillon, {
    url: receiver.url,
    events: ['notification.accepted'],
    ...settings,
  })
  await carillon.send(toAda)
  const failed = await settledDelivery(carillon, webhook.id, 'failed')
  return { receiver, webhook, failed }
}

const idsOf = (receiver: HttpReceiver) => receiver.requests.map(({ headers }) => headers['webhook-id'])

describe.each(WAYS)('%s', (_name, sendAgain) => {
  it('sends the same bytes under the same webhook-id, as a delivery that names the one it repeats', async () => {
    dispatchWebhooks(carillon)
    const { receiver, webhook, failed } = await aFailedDelivery()
    receiver.answerWith(() => ({ status: 200 }))
    await sendAgain(webhook)
    const again = await settledDelivery(carillon, webhook.id, 'delivered')
    expect(again).toMatchObject({ redelivery_of: failed.id, event_id: failed.event_id })
    const [first, second] = receiver.requests
    expect(second!.body).toEqual(first!.body)
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id'])
    expect(await lettersFor(webhook)).toEqual([])
  })

  it('gives it a fresh budget under the policy that the endpoint has now', async () => {
    dispatchWebhooks(carillon)
    const { receiver, webhook } = await aFailedDelivery({ retry_count: 0 })
    receiver.answerWith(() => ({ status: 500 }))
    const body = { retry_count: 2, backoff: 'constant', retry_base_ms: HOUR_MS }
    await carillon.request('PATCH', `/v1/webhooks/${webhook.id}`, { body })
    await sendAgain(webhook)
    for (const attempts of [1, 2]) {
      const waiting = await waitFor(
        async () =>
          (await deliveriesOf(carillon, webhook.id, '?status=retrying')).find(
            delivery => delivery.attempt_count === attempts,
          ),
        { what: `attempt ${attempts}` },
      )
      const waitMs = Date.parse(waiting.next_retry_at!) - Date.parse(waiting.created_at)
      expect(waitMs).toBeGreaterThan(0.7 * HOUR_MS)
      await skipWebhookWaiting(carillon)
    }
    await waitFor(async () => (await deliveriesOf(carillon, webhook.id, '?status=failed')).length === 2, {
      what: 'the budget to be used up',
    })
    expect(await lettersFor(webhook)).toMatchObject([{ final_attempt_count: 3, max_attempts: 3 }])
  })

  it('keeps its order, behind what already waits for its key', async () => {
    dispatchWebhooks(carillon)
    const { receiver, webhook, failed } = await aFailedDelivery({ ordering: 'endpoint' })
    receiver.answerWith(() => ({ status: 500 }))
    await carillon.send(toAda)
    const waiting = await settledDelivery(carillon, webhook.id, 'retrying')
    receiver.answerWith(() => ({ status: 200 }))
    await sendAgain(webhook)
    await letTheQueueMove()
    await skipWebhookWaiting(carillon)
    await waitFor(async () => (await deliveriesOf(carillon, webhook.id, '?status=delivered')).length === 2, {
      what: 'both to arrive',
    })
    expect(idsOf(receiver)).toEqual([failed.event_id, waiting.event_id, waiting.event_id, failed.event_id])
  })

  it('sends each event by itself, even to an endpoint that takes batches', async () => {
    const receiver = await aReceiver()
    receiver.answerWith(() => ({ status: 400 }))
    const settings = { events: ['notification.accepted'], batch_size: 10 } satisfies Partial<NewWebhook>
    const webhook = await aWebhook(carillon, { url: receiver.url, ...settings })
    dispatchWebhooks(carillon)
    for (const failures of [1, 2]) {
      await carillon.send(toAda)
      await waitFor(
        async () => (await deliveriesOf(carillon, webhook.id, '?status=failed')).length === failures,
        { what: `${failures} failures` },
      )
    }
    receiver.answerWith(() => ({ status: 200 }))
    await sendAgain(webhook)
    await waitFor(async () => (await deliveriesOf(carillon, webhook.id, '?status=delivered')).length === 2, {
      what: 'both to arrive',
    })
    const bodies = receiver.requests.map(request => request.body.toString())
    expect(bodies.slice(2).sort()).toEqual(bodies.slice(0, 2).sort())
  })
})

it('a delivery that was replayed is not recovered too, however long it waits', async () => {
  const dispatcher = dispatchWebhooks(carillon)
  const { webhook } = await aFailedDelivery()
  await dispatcher.stop()
  const [letter] = await lettersFor(webhook)
  await carillon.request('POST', `/v1/dead-letters/${letter.id}/replay`)
  const { body } = await carillon.request('POST', `/v1/webhooks/${webhook.id}/recoveries`, {
    body: { since: '2020-01-01T00:00:00Z' },
  })
  expect(body.matched).toBe(0)
})

/** Sends an event to another endpoint: once it has arrived, whatever was due before it could have been claimed. */
async function letTheQueueMove(): Promise<void> {
  const receiver = await aReceiver()
  await aWebhook(carillon, { url: receiver.url, events: ['system_event.raised'] })
  await raiseSystemEvent(carillon.pool, {
    tenant_id: carillon.tenantId,
    event_type: 'queue_moves',
    subject: receiver.url,
    severity: 'low',
    description: 'Raised by a test.',
    details: {},
  })
  await waitFor(async () => receiver.requests.length > 0, { what: 'the other endpoint' })
}

it('a recovery that was given up continues when its dead letter is replayed', async () => {
  const first = dispatchWebhooks(carillon)
  const { receiver, webhook } = await aFailedDelivery()
  await first.stop()
  const path = `/v1/webhooks/${webhook.id}/recoveries`
  const { body } = await carillon.request('POST', path, { body: { since: '2020-01-01T00:00:00Z' } })
  await carillon.pool.query(
    `update outbox set attempt_count = max_attempts, lease_owner = 'dead', lease_until = now() - interval '1 minute'
     where source_kind = 'webhook_recovery' and target_id = $1`,
    [webhook.id],
  )
  dispatchWebhooks(carillon)
  const letter = await waitFor(
    async () => (await lettersFor(webhook)).find(({ source }) => source === 'webhook_recovery'),
    { what: 'the letter of the recovery' },
  )
  receiver.answerWith(() => ({ status: 200 }))
  await carillon.request('POST', `/v1/dead-letters/${letter.id}/replay`)
  await settledDelivery(carillon, webhook.id, 'delivered')
  expect((await carillon.request('GET', `${path}/${body.id}`)).body).toMatchObject({ redelivered: 1 })
})

it('nothing is sent again to an endpoint that is switched off; the answer says what to do, and the letter stays open', async () => {
  dispatchWebhooks(carillon)
  const { webhook, failed } = await aFailedDelivery()
  await carillon.request('PATCH', `/v1/webhooks/${webhook.id}`, { body: { is_active: false } })
  const [letter] = await lettersFor(webhook)
  for (const path of [
    `/v1/webhooks/${webhook.id}/deliveries/${failed.id}/redeliver`,
    `/v1/dead-letters/${letter.id}/replay`,
  ]) {
    const problem = problemOf(await carillon.request('POST', path))
    expect(problem).toMatchObject({ status: 409, code: 'not_active' })
    expect(problem.detail).toContain('"is_active": true')
  }
  const body = { filter: { target_id: webhook.id } }
  expect((await carillon.request('POST', '/v1/dead-letters/replay', { body })).body).toMatchObject({
    matched: 0,
    replayed: 0,
    remaining: 0,
  })
  expect(await lettersFor(webhook)).toEqual([letter])
  expect(await deliveriesOf(carillon, webhook.id)).toHaveLength(1)
})

it('a test event that is sent again stays a test', async () => {
  dispatchWebhooks(carillon)
  const receiver = await aReceiver()
  const webhook = await aWebhook(carillon, { url: receiver.url })
  await carillon.request('POST', `/v1/webhooks/${webhook.id}/test`, { body: {} })
  const [test] = await deliveriesOf(carillon, webhook.id)
  await carillon.request('POST', `/v1/webhooks/${webhook.id}/deliveries/${test!.id}/redeliver`)
  const again = await waitFor(
    async () =>
      (await deliveriesOf(carillon, webhook.id)).find(({ redelivery_of }) => redelivery_of === test!.id),
    { what: 'the redelivery' },
  )
  expect(again.is_test).toBe(true)
})
