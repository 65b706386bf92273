/** Providers from the environment are rows like all others: what that gives, and what processes without it do. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { createProviderParts } from '../../../test/provider-parts.ts'
import { type HttpReceiver, startHttpReceiver } from '../../../test/receivers/http-receiver.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { loadConfig } from '../../platform/config/config.ts'
import { createMessageStore } from '../captured-messages/captured-messages.ts'
import { createBuiltIns } from '../services/built-in.ts'
import { readEnvironment } from '../services/environment.ts'
import { storeEnvironment } from './environment.ts'
import { createMissingReport } from './missing.ts'
import { sendTestMessage } from './test-message.ts'

const carillon = useCarillon()
const SECRET = 'token-of-the-operator'
const stops: (() => Promise<void>)[] = []
let receiver: HttpReceiver
let overHttp: Record<string, string>

beforeAll(async () => {
  receiver = await startHttpReceiver()
  overHttp = {
    CARILLON_PROVIDERS: 'email=http',
    CARILLON_HTTP_PROVIDER_URL: receiver.url,
    CARILLON_HTTP_PROVIDER_HEADERS: JSON.stringify({ authorization: `Bearer ${SECRET}` }),
  }
})
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
  await carillon.pool.query('delete from provider_configs')
  await carillon.pool.query('delete from admin_system_events')
  await carillon.pool.query('delete from routes')
  receiver.answerWith(() => ({}))
  receiver.requests.length = 0
})
afterAll(() => receiver?.stop())

/** The delivering part of a process with these settings. */
async function aProcess(settings: Record<string, string>) {
  const { pool } = carillon
  const environment = readEnvironment(loadConfig(settings))
  await storeEnvironment(pool, environment)
  const parts = createProviderParts(pool, {
    keyring: carillon.providers.keyring,
    environment,
    builtIn: createBuiltIns({ saveCaptured: createMessageStore(pool), deliverInApp: async () => {} }),
    onMissing: createMissingReport(pool, () => {}),
    breaker: { threshold: 2, coolDownMs: 60_000 },
  })
  const worker = carillon.deliver(() => ({ kind: 'sent' }), { candidates: parts.directory.candidates })
  let isStopped = false
  const stop = async () => {
    if (isStopped) return
    isStopped = true
    await worker.stop()
    await parts.close()
  }
  stops.push(stop)
  return { directory: parts.directory, stop }
}

const listed = async (key?: string) =>
  (await carillon.request('GET', '/v1/providers', key === undefined ? {} : { key })).body.data
const events = async (type: string, state = 'open') =>
  (await carillon.request('GET', `/v1/system-events?event_type=${type}&state=${state}`)).body.data
const captured = async () =>
  (await carillon.request('GET', '/v1/captured-messages')).body.data.map(
    ({ notification_id }: { notification_id: string }) => notification_id,
  )
const postponed = (id: string, reason: string) =>
  waitFor(
    async () => {
      const [route] = await carillon.routesOf(id)
      return route?.reason === reason ? route : undefined
    },
    { what: `the route to wait for ${reason}` },
  )
const aMailServer = {
  name: 'own',
  kind: 'http',
  channel: 'email',
  config: { url: 'http://127.0.0.1:1/never' },
}

describe('a provider from the environment', () => {
  it('is listed for every tenant, read-only and without what is secret', async () => {
    await aProcess({ ...overHttp, CARILLON_SMTP_URL: 'smtp://u:hunter2@mail.internal' })
    const { key } = await carillon.createTenant('guest of the environment')
    const [provider, ...others] = await listed(key)
    expect(others).toEqual([])
    expect(provider).toMatchObject({
      name: 'http',
      kind: 'http',
      channel: 'email',
      source: 'environment',
      has_secrets: [],
      callback_url: null,
      breaker: { state: 'closed' },
    })
    expect(JSON.stringify(provider)).not.toMatch(/127\.0\.0\.1|mail\.internal|hunter2|token-of/)
    const path = `/v1/providers/${provider.id}`
    expect((await carillon.request('GET', path)).body).toEqual(provider)
    const refusals = [
      await carillon.request('PATCH', path, { body: { priority: 1 } }),
      await carillon.request('DELETE', path),
    ]
    for (const refusal of refusals)
      expect(problemOf(refusal)).toMatchObject({ code: 'read_only', status: 409 })
    expect(await listed()).toEqual([provider])
  })

  it('is the same row after a restart, and another one when the environment says so', async () => {
    const first = await aProcess(overHttp)
    const [before] = await listed()
    await first.stop()
    const second = await aProcess(overHttp)
    expect(await listed()).toEqual([before])
    await second.stop()
    await aProcess({ ...overHttp, CARILLON_PROVIDER_RATES: 'email=60' })
    expect(await listed()).toMatchObject([{ id: before.id, rate_limit: 60 }])
    await aProcess({ CARILLON_SMTP_URL: 'smtp://127.0.0.1:1', CARILLON_SMTP_FROM: 'Acme <a@example.com>' })
    expect(await listed()).toMatchObject([{ name: 'smtp', config: { from: 'Acme <a@example.com>' } }])
  })

  it('has a breaker: failing, it is left alone, the operator is told, and messages wait', async () => {
    receiver.answerWith(() => ({ status: 503 }))
    await aProcess(overHttp)
    const ids = [await carillon.send(), await carillon.send()]
    for (const id of ids) await carillon.settled(id, 'retrying')
    const waiting = await carillon.send()
    await postponed(waiting, 'provider_down')
    expect(receiver.requests).toHaveLength(2)
    expect(await listed()).toMatchObject([
      { breaker: { state: 'open', last_error: expect.stringContaining('503') } },
    ])
    expect(await events('provider_down')).toMatchObject([{ tenant_id: null, subject: 'http' }])
  })

  it('keeps to its rate, over all processes and tenants', async () => {
    const settings = { ...overHttp, CARILLON_PROVIDER_RATES: 'email=1' }
    for (let i = 0; i < 2; i++) await aProcess(settings)
    await carillon.settled(await carillon.send(), 'sent')
    await postponed(await carillon.send(), 'provider_rate')
    expect(receiver.requests).toHaveLength(1)
  })

  it('can be tested where its settings are', async () => {
    const { directory } = await aProcess(overHttp)
    const [{ id }] = await listed()
    const to = { address: 'a@example.com' }
    const answer = await sendTestMessage({ pool: carillon.pool, directory }, carillon.tenantId, id, to)
    expect(answer).toMatchObject({ outcome: 'sent' })
    expect(receiver.requests[0]!.headers.authorization).toBe(`Bearer ${SECRET}`)
    const elsewhere = await carillon.request('POST', `/v1/providers/${id}/test`, { body: to })
    expect(problemOf(elsewhere)).toMatchObject({
      code: 'not_active',
      detail: expect.stringContaining('"http"'),
    })
  })

  it('is for tenants without one of their own', async () => {
    const { directory } = await aProcess(overHttp)
    const { body } = await carillon.request('POST', '/v1/providers', { body: aMailServer })
    const names = async () =>
      (await directory.candidates(carillon.tenantId, 'email')).map(({ name, unavailable }) => [
        name,
        unavailable?.text,
      ])
    expect(await names()).toEqual([['own', undefined]])
    await carillon.request('PATCH', `/v1/providers/${body.id}`, { body: { is_active: false } })
    expect(await names()).toEqual([['http', undefined]])
  })
})

describe('a process without the environment of another', () => {
  it('lets messages wait and tells the operator; it captures none, and the other one sends them', async () => {
    const other = await aProcess(overHttp)
    await other.stop()
    const here = await aProcess({})
    const id = await carillon.send()
    const route = await postponed(id, 'no_provider')
    expect(route).toMatchObject({ status: 'pending', attempt_count: 0 })
    await waitFor(async () => (await events('provider_missing')).length === 1, { what: 'the event' })
    expect(await events('provider_missing')).toMatchObject([
      { tenant_id: null, subject: 'email', description: expect.stringContaining('"http"') },
    ])
    const { people } = (await carillon.request('GET', `/v1/records/${id}/explain`)).body
    expect(JSON.stringify(people)).toContain('which this process does not have')
    await here.stop()

    await aProcess(overHttp)
    await carillon.skipWaiting()
    await carillon.settled(id, 'sent')
    expect(receiver.requests[0]!.headers.authorization).toBe(`Bearer ${SECRET}`)
    expect(await captured()).not.toContain(id)
    expect(await events('provider_missing')).toEqual([])
  })

  it('simulates as the other one will deliver', async () => {
    await aProcess(overHttp)
    const { body } = await carillon.request('POST', '/v1/intents/simulate', {
      body: {
        notification_type: 'order_shipped',
        audience: { kind: 'addresses', channel: 'email', addresses: ['simulated@example.com'] },
        payload: { title: 'Hello' },
      },
    })
    const [route] = body.people[0].routes
    expect(route).toMatchObject({ status: 'sent', provider: 'http' })
    expect(route.decisions).toMatchObject([{ decision: 'sent' }])
  })

  it('captures again when its own environment says so, unless the other one still runs', async () => {
    const sending = await aProcess(overHttp)
    const { directory } = await aProcess({ CARILLON_PROVIDERS: 'email=capture' })
    expect(await listed()).toEqual([])
    expect(await directory.candidates(carillon.tenantId, 'email')).toMatchObject([{ name: 'capture' }])
    await sending.directory.candidates(carillon.tenantId, 'email')
    expect(await listed()).toMatchObject([{ name: 'http' }])
    expect(await directory.candidates(carillon.tenantId, 'email')).toMatchObject([
      { name: 'http', unavailable: { elsewhere: true } },
    ])
  })
})

describe('a channel with a provider that cannot be asked', () => {
  it('is captured only while nothing is set up for it', async () => {
    await aProcess({})
    const id = await carillon.send()
    await carillon.settled(id, 'sent')
    expect(await captured()).toContain(id)
  })

  it('waits while the provider is switched off, and is sent when it is on again', async () => {
    await aProcess({})
    const { body } = await carillon.request('POST', '/v1/providers', {
      body: { ...aMailServer, config: { url: receiver.url }, is_active: false },
    })
    const id = await carillon.send()
    await postponed(id, 'no_provider')
    await waitFor(async () => (await events('provider_missing')).length === 1, { what: 'the event' })
    expect(await events('provider_missing')).toMatchObject([
      { tenant_id: carillon.tenantId, description: expect.stringContaining('"own" is switched off') },
    ])
    await carillon.request('PATCH', `/v1/providers/${body.id}`, { body: { is_active: true } })
    expect(await events('provider_missing')).toEqual([])
    await carillon.skipWaiting()
    await carillon.settled(id, 'sent')
    expect(receiver.requests).toHaveLength(1)
    expect(await captured()).not.toContain(id)
  })

  it('waits while its settings cannot be read', async () => {
    await aProcess({})
    const { body } = await carillon.request('POST', '/v1/providers', { body: aMailServer })
    await carillon.pool.query('update provider_configs set config = $2, updated_at = now() where id = $1', [
      body.id,
      '{"wrong": true}',
    ])
    const id = await carillon.send()
    await postponed(id, 'no_provider')
    expect(await captured()).not.toContain(id)
  })
})
