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
import { reserveRequests } from './queries.ts'

const carillon = useCarillon()
const toAda = { audience: { kind: 'users', user_ids: ['ada'] }, channels: ['email'] }
beforeAll(() => carillon.putUser('ada', { email: 'ada@example.com' }))

const START = Date.parse('2026-03-01T12:00:00Z')
const at = (seconds: number) => new Date(START + seconds * 1000)

describe('the rate of an endpoint', () => {
  it.each([1, 7, 60, 600])(
    '%i per minute: never more in any sixty seconds, and nearly that many, with four asking at once',
    async limit => {
      const { id } = await aWebhook(carillon, { url: 'https://example.com', rate_limit: limit })
      const grants: number[] = []
      for (let second = 0; second < 300; second += 0.7) {
        const asks = [1, 9, 3, 20].map(wanted =>
          reserveRequests(carillon.pool, carillon.tenantId, id, wanted, at(second)),
        )
        for (const { granted } of await Promise.all(asks)) grants.push(...Array<number>(granted).fill(second))
      }
      const busiest = Math.max(
        ...grants.map(start => grants.filter(time => time >= start && time < start + 60).length),
      )
      expect(busiest).toBeLessThanOrEqual(limit)
      expect(grants.length).toBeGreaterThanOrEqual(Math.floor(limit * 5 * 0.93))
    },
  )

  it('says how long to wait, and after that wait there is room', async () => {
    const { id } = await aWebhook(carillon, { url: 'https://example.com', rate_limit: 60 })
    const ask = (wanted: number, seconds: number) =>
      reserveRequests(carillon.pool, carillon.tenantId, id, wanted, at(seconds))
    expect(await ask(5, 0)).toMatchObject({ granted: 1 })
    const refused = await ask(5, 0.01)
    expect(refused.granted).toBe(0)
    expect(await ask(5, 0.02 + refused.wait_ms / 1000)).toMatchObject({ granted: 1 })
  })

  it('none without a limit', async () => {
    const { id } = await aWebhook(carillon, { url: 'https://example.com' })
    expect(await reserveRequests(carillon.pool, carillon.tenantId, id, 1000)).toEqual({
      granted: 1000,
      wait_ms: 0,
    })
  })

  it('S003-11 what does not fit waits without using an attempt, and none is lost', async () => {
    const receiver = await aReceiver()
    const webhook = await aWebhook(carillon, {
      url: receiver.url,
      events: ['notification.accepted'],
      rate_limit: 1,
      retry_count: 0,
    })
    for (let i = 0; i < 6; i++) await carillon.send(toAda)
    for (let i = 0; i < 2; i++) dispatchWebhooks(carillon)
    await waitFor(async () => receiver.requests.length === 1, { what: 'the one that fits' })
    await carillon.request('PATCH', `/v1/webhooks/${webhook.id}`, { body: { rate_limit: null } })
    await skipWebhookWaiting(carillon)
    await waitFor(async () => (await deliveriesOf(carillon, webhook.id)).length === 6, { what: 'all' })
    const deliveries = await deliveriesOf(carillon, webhook.id)
    expect(deliveries.map(({ status, attempt_count }) => [status, attempt_count])).toEqual(
      Array(6).fill(['delivered', 1]),
    )
    expect(receiver.requests).toHaveLength(6)
  })
})
