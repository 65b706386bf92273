import { beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { waitFor } from '../../../test/wait-for.ts'
import {
  aReceiver,
  aWebhook,
  deliveriesOf,
  dispatchWebhooks,
  skipWebhookWaiting,
} from '../../../test/webhooks.ts'

const carillon = useCarillon()
const toAda = { audience: { kind: 'users', user_ids: ['ada'] }, channels: ['email'] }
beforeAll(() => carillon.putUser('ada', { email: 'ada@example.com' }))

describe('the rate limit of an endpoint', () => {
  it('makes events that exceed it wait without using an attempt, and loses none', {
    tags: 'S003-11',
  }, async () => {
    const receiver = await aReceiver()
    const webhook = await aWebhook(carillon, {
      url: receiver.url,
      events: ['notification.accepted'],
      rate_limit: 2,
      retry_count: 0,
    })
    for (let i = 0; i < 6; i++) await carillon.send(toAda)
    for (let i = 0; i < 2; i++) dispatchWebhooks(carillon)
    await waitFor(async () => receiver.requests.length >= 2, { what: 'those that fit' })
    expect(receiver.requests).toHaveLength(2)
    await carillon.request('PATCH', `/v1/webhooks/${webhook.id}`, { body: { rate_limit: null } })
    let deliveries: Awaited<ReturnType<typeof deliveriesOf>> = []
    const all = async () => {
      await skipWebhookWaiting(carillon)
      deliveries = await deliveriesOf(carillon, webhook.id)
      return deliveries.length === 6
    }
    await waitFor(all, { what: 'all' })
    expect(deliveries.map(({ status, attempt_count }) => [status, attempt_count])).toEqual(
      Array(6).fill(['delivered', 1]),
    )
    expect(receiver.requests).toHaveLength(6)
  })
})
