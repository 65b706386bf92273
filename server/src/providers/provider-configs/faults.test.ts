/** Whose fault a failure is decides whether everybody else's messages have to wait: only a failing provider stops them. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { createProviderParts } from '../../../test/provider-parts.ts'
import { type HttpReceiver, startHttpReceiver } from '../../../test/receivers/http-receiver.ts'
import { waitFor } from '../../../test/wait-for.ts'

const carillon = useCarillon()
const THRESHOLD = 3
const MORE_THAN_ENOUGH = 6
let receiver: HttpReceiver
let parts: ReturnType<typeof createProviderParts>

beforeAll(async () => {
  receiver = await startHttpReceiver()
  const breaker = { threshold: THRESHOLD, coolDownMs: 60_000 }
  parts = createProviderParts(carillon.pool, { keyring: carillon.providers.keyring, breaker })
  carillon.deliver(() => ({ kind: 'sent' }), { candidates: parts.directory.candidates })
})
afterAll(async () => {
  await parts?.close()
  await receiver?.stop()
})
beforeEach(() => carillon.pool.query('delete from provider_configs'))

async function provide(channel: string, config: object, more: object = {}): Promise<string> {
  const body = { name: 'main', kind: 'http', channel, config, ...more }
  const answer = await carillon.request('POST', '/v1/providers', { body })
  expect(answer.status).toBe(201)
  return answer.body.id
}
const breakerOf = async (id: string) =>
  (await carillon.request('GET', `/v1/providers/${id}`)).body.breaker.state
const events = async (type: string, state = 'open') =>
  (await carillon.request('GET', `/v1/system-events?event_type=${type}&state=${state}`)).body.data
const sendTo = (channel: string, address: string, payload: object = { title: 'Hello' }) =>
  carillon.send({ audience: { kind: 'addresses', channel, addresses: [address] }, payload })

describe('a failure', () => {
  it('of a payload that lacks what the body template needs concerns that message alone', async () => {
    receiver.answerWith(() => ({}))
    const id = await provide('sms', { url: receiver.url, body: '{"name": {{ payload.name | json }}}' })
    for (let i = 0; i < MORE_THAN_ENOUGH; i++)
      await carillon.settled(await sendTo('sms', `+4179000000${i}`), 'retrying')
    expect(await breakerOf(id)).toBe('closed')
    const complete = await sendTo('sms', '+41790000009', { name: 'Ada' })
    await carillon.settled(complete, 'sent')
  })

  it('at the URL of a recipient concerns that recipient alone', async () => {
    receiver.answerWith(({ path }) => (path === '/dead' ? { status: 503 } : {}))
    const { origin } = new URL(receiver.url)
    const id = await provide('chat', { url: '{{ address }}' })
    for (let i = 0; i < MORE_THAN_ENOUGH; i++)
      await carillon.settled(await sendTo('chat', `${origin}/dead`), 'retrying')
    expect(await breakerOf(id)).toBe('closed')
    await carillon.settled(await sendTo('chat', `${origin}/alive`), 'sent')
  })

  it('of the account goes to the next provider, opens no breaker, and is told to the operator', async () => {
    receiver.answerWith(({ path }) => (path === '/first' ? { status: 401, body: 'wrong key' } : {}))
    const { origin } = new URL(receiver.url)
    const id = await provide('sms', { url: `${origin}/first` }, { name: 'first', priority: 10 })
    await provide('sms', { url: `${origin}/second` }, { name: 'second' })
    for (let i = 0; i < MORE_THAN_ENOUGH; i++) {
      const [route] = await carillon.settled(await sendTo('sms', `+4179000001${i}`), 'sent')
      expect(route).toMatchObject({ provider: 'second', attempt_count: 1 })
    }
    expect(await breakerOf(id)).toBe('closed')
    expect(await events('provider_down')).toEqual([])
    const [told, ...others] = await events('provider_account_refused')
    expect(told).toMatchObject({ subject: 'first', details: { last_error: 'HTTP 401: wrong key' } })
    expect(others).toEqual([])

    receiver.answerWith(() => ({}))
    await carillon.settled(await sendTo('sms', '+41790000019'), 'sent')
    await waitFor(async () => (await events('provider_account_refused')).length === 0, {
      what: 'the event to resolve',
    })
  })

  it('of the provider itself opens the breaker', async () => {
    receiver.answerWith(() => ({ status: 503 }))
    const id = await provide('sms', { url: receiver.url })
    for (let i = 0; i < THRESHOLD; i++)
      await carillon.settled(await sendTo('sms', `+4179000002${i}`), 'retrying')
    await waitFor(async () => (await breakerOf(id)) !== 'closed', { what: 'the breaker to open' })
  })
})
