/** What a simulation says about providers that take nothing now. It only looks: it uses nothing up and reports nothing. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { AN_INTENT, useCarillon } from '../../../test/carillon.ts'
import { createProviderParts } from '../../../test/provider-parts.ts'
import { type HttpReceiver, startHttpReceiver } from '../../../test/receivers/http-receiver.ts'
import { checkIntent } from '../../intake/intents/intent.ts'
import { sendTestMessage } from '../../providers/provider-configs/test-message.ts'
import { simulateIntent } from './simulation.ts'

const carillon = useCarillon()
let receiver: HttpReceiver

beforeAll(async () => {
  receiver = await startHttpReceiver()
})
afterEach(async () => {
  await carillon.pool.query('delete from provider_configs')
})
afterAll(() => receiver?.stop())

const provide = async (more: object = {}): Promise<string> => {
  const body = { name: 'own', kind: 'http', channel: 'email', config: { url: receiver.url }, ...more }
  return (await carillon.request('POST', '/v1/providers', { body })).body.id
}
const breakDown = (id: string, retryAt = "now() + interval '1 hour'") =>
  carillon.pool.query(
    `insert into provider_health (provider_id, state, retry_at) values ($1, 'open', ${retryAt})`,
    [id],
  )
const simulate = async (intent: object = {}) => {
  const body = { ...AN_INTENT, ...intent }
  return (await carillon.request('POST', '/v1/intents/simulate', { body })).body
}
const onlyRoute = async (intent?: object) => (await simulate(intent)).people[0].routes[0]

it('a simulated message waits for a failing provider, unless another takes it', async () => {
  await breakDown(await provide())
  const route = await onlyRoute()
  expect(route).toMatchObject({ status: 'pending', reason: 'provider_down', provider: '' })
  expect(route.message.subject).toBe('Your order')
  expect(route.decisions).toMatchObject([{ decision: 'postponed', text: expect.stringMatching(/failing/) }])
  expect((await simulate()).summary).toBe('Routes: 1 pending (provider_down).')
  await provide({ name: 'next', priority: -1 })
  expect(await onlyRoute()).toMatchObject({ status: 'sent', reason: '', provider: 'next' })
})

it('a simulated message would be the probe after the cool-down, and takes none', async () => {
  const id = await provide()
  await breakDown(id, 'now()')
  expect(await onlyRoute()).toMatchObject({ status: 'sent', provider: 'own' })
  const { breaker } = (await carillon.request('GET', `/v1/providers/${id}`)).body
  expect(breaker.state).toBe('open')
})

it('simulated messages wait for the rate of their provider, and use none of it', async () => {
  const id = await provide({ rate_limit: 2 })
  const addresses = ['a@example.com', 'b@example.com', 'c@example.com']
  const many = { audience: { kind: 'addresses', channel: 'email', addresses } }
  for (let i = 0; i < 2; i++)
    expect((await simulate(many)).summary).toBe('Routes: 2 sent, 1 pending (provider_rate).')
  const test = () =>
    carillon.request('POST', `/v1/providers/${id}/test`, { body: { address: 'a@example.com' } })
  for (let i = 0; i < 2; i++) expect((await test()).status).toBe(200)
  expect(await onlyRoute()).toMatchObject({ status: 'pending', reason: 'provider_rate' })
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
  expect(await onlyRoute({ send_at: tomorrow })).toMatchObject({ status: 'sent', provider: 'own' })
})

it('a simulated message waits while its provider is switched off', async () => {
  await provide({ is_active: false })
  const route = await onlyRoute()
  expect(route).toMatchObject({ status: 'pending', reason: 'no_provider', provider: '' })
  expect(route.decisions[0].text).toContain('"own" is switched off')
})

it('neither a simulation nor a test message reports that a provider is missing', async () => {
  const missing: unknown[] = []
  const id = await provide({ is_active: false })
  const { keyring } = carillon.providers
  const { directory, close } = createProviderParts(carillon.pool, {
    keyring,
    onMissing: event => missing.push(event),
  })
  const text = JSON.stringify(AN_INTENT)
  const submitted = { value: AN_INTENT, text, payloadText: JSON.stringify(AN_INTENT.payload) }
  const origin = { tenant_id: carillon.tenantId, source: 'test', defaultProducer: 'test' }
  const parts = {
    pool: carillon.pool,
    directory,
    fillTemplate: async () => undefined,
    layOut: async () => null,
    links: () => null,
    visibility: () => ({ isAsked: async () => false, ask: async () => [] }),
  }
  await simulateIntent(parts, checkIntent(submitted, origin))
  const to = { address: 'a@example.com' }
  await expect(sendTestMessage(parts, carillon.tenantId, id, to)).rejects.toThrow('switched off')
  expect(missing).toEqual([])
  await directory.candidates(carillon.tenantId, 'email')
  expect(missing).toHaveLength(1)
  await close()
})
