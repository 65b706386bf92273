/** Providers from the environment are rows like all others: what that gives, and what processes without it do. */
import { describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { SECRET, useProcesses } from './environment.fixture.ts'
import { sendTestMessage } from './test-message.ts'

const REDACTED = 'Only the operators of this instance see errors of its own providers.'
const carillon = useCarillon()
const processes = useProcesses(carillon)
const { listed, events, captured, postponed, breakDown } = processes
const aMailServer = {
  name: 'own',
  kind: 'http',
  channel: 'email',
  config: { url: 'http://127.0.0.1:1/never' },
}

describe('a provider from the environment', () => {
  it('is listed for every tenant, read-only and without what is secret', async () => {
    await processes.start({ ...processes.overHttp, CARILLON_SMTP_URL: 'smtp://u:hunter2@mail.internal' })
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

  it('shows why its breaker is open to operators only: the error may name hosts of theirs', async () => {
    await processes.start(processes.overHttp)
    const [{ id }] = await listed()
    await carillon.pool.query(
      `insert into provider_health (provider_id, state, last_error, retry_at, changed_at)
       values ($1, 'open', 'connect ECONNREFUSED mail.internal:25', now(), now())
       on conflict (provider_id) do update set state = excluded.state, last_error = excluded.last_error,
         retry_at = excluded.retry_at`,
      [id],
    )
    const { key } = await carillon.createTenant('curious guest')
    const shown = [
      (await listed(key))[0],
      (await carillon.request('GET', `/v1/providers/${id}`, { key })).body,
    ]
    for (const { breaker } of shown) expect(breaker).toMatchObject({ state: 'open', last_error: REDACTED })
    expect((await listed())[0].breaker.last_error).toContain('mail.internal')
    await carillon.pool.query('delete from provider_health')
  })

  it('is the same row after a restart, and another one when the environment says so', async () => {
    const first = await processes.start(processes.overHttp)
    const [before] = await listed()
    await first.stop()
    const second = await processes.start(processes.overHttp)
    expect(await listed()).toEqual([before])
    await second.stop()
    await processes.start({ ...processes.overHttp, CARILLON_PROVIDER_RATES: 'email=60' })
    expect(await listed()).toMatchObject([{ id: before.id, rate_limit: 60 }])
    await processes.start({
      CARILLON_SMTP_URL: 'smtp://127.0.0.1:1',
      CARILLON_SMTP_FROM: 'Acme <a@example.com>',
    })
    expect(await listed()).toMatchObject([{ name: 'smtp', config: { from: 'Acme <a@example.com>' } }])
  })

  it('has a breaker: failing, it is left alone, the operator is told, and messages wait', async () => {
    processes.receiver.answerWith(() => ({ status: 503 }))
    await processes.start(processes.overHttp)
    const ids = [await carillon.send(), await carillon.send()]
    for (const id of ids) await carillon.settled(id, 'retrying')
    const waiting = await carillon.send()
    await postponed(waiting, 'provider_down')
    expect(processes.receiver.requests).toHaveLength(2)
    expect(await listed()).toMatchObject([
      { breaker: { state: 'open', last_error: expect.stringContaining('503') } },
    ])
    expect(await events('provider_down')).toMatchObject([{ tenant_id: null, subject: 'email/http' }])
  })

  it('gets a new chance when its settings have changed, and only then', async () => {
    const first = await processes.start(processes.overHttp)
    const [{ id }] = await listed()
    await breakDown({ id, tenant_id: null, subject: 'email/http' })
    await first.stop()
    const second = await processes.start(processes.overHttp)
    expect(await listed()).toMatchObject([{ breaker: { state: 'open', last_error: 'it went away' } }])
    expect(await events('provider_down')).toHaveLength(1)
    await second.stop()
    await processes.start({
      ...processes.overHttp,
      CARILLON_HTTP_PROVIDER_HEADERS: '{"authorization":"Bearer corrected"}',
    })
    expect(await listed()).toMatchObject([{ id, breaker: { state: 'closed', retry_at: null } }])
    expect(await events('provider_down')).toEqual([])
    const { rows } = await carillon.pool.query('select p::text as row from provider_configs p')
    expect(rows[0].row).not.toContain('corrected')
  })

  it.each([
    ['captured', { CARILLON_PROVIDERS: 'email=capture' }],
    ['sent by another', { CARILLON_SMTP_URL: 'smtp://127.0.0.1:1', CARILLON_SMTP_FROM: 'a@example.com' }],
  ])('is no longer reported as failing when its channel is %s', async (_how, settings) => {
    const sending = await processes.start(processes.overHttp)
    await breakDown({ id: (await listed())[0].id, tenant_id: null, subject: 'email/http' })
    await sending.stop()
    await processes.start(settings as Record<string, string>)
    expect(await events('provider_down')).toEqual([])
  })

  it('is probed when its rate allows it: until then nobody holds the probe', async () => {
    await processes.start({ ...processes.overHttp, CARILLON_PROVIDER_RATES: 'email=1' })
    const [{ id }] = await listed()
    await carillon.settled(await carillon.send(), 'sent')
    await breakDown({ id, tenant_id: null, subject: 'email/http' }, 'now()')
    await postponed(await carillon.send(), 'provider_rate')
    expect(processes.receiver.requests).toHaveLength(1)
    expect(await listed()).toMatchObject([{ breaker: { state: 'open' } }])
  })

  it('keeps to its rate, over all processes and tenants', async () => {
    const settings = { ...processes.overHttp, CARILLON_PROVIDER_RATES: 'email=1' }
    for (let i = 0; i < 2; i++) await processes.start(settings)
    await carillon.settled(await carillon.send(), 'sent')
    await postponed(await carillon.send(), 'provider_rate')
    expect(processes.receiver.requests).toHaveLength(1)
  })

  it('can be tested where its settings are', async () => {
    const { directory } = await processes.start(processes.overHttp)
    const [{ id }] = await listed()
    const to = { address: 'a@example.com' }
    const answer = await sendTestMessage({ pool: carillon.pool, directory }, carillon.tenantId, id, to)
    expect(answer).toMatchObject({ outcome: 'sent' })
    expect(processes.receiver.requests[0]!.headers.authorization).toBe(`Bearer ${SECRET}`)
    const elsewhere = await carillon.request('POST', `/v1/providers/${id}/test`, { body: to })
    expect(problemOf(elsewhere)).toMatchObject({
      code: 'not_active',
      detail: expect.stringContaining('"http"'),
    })
  })

  it('keeps to its rate in tests too, and says when to try again', async () => {
    const { directory } = await processes.start({ ...processes.overHttp, CARILLON_PROVIDER_RATES: 'email=1' })
    const [{ id }] = await listed()
    const test = () =>
      sendTestMessage({ pool: carillon.pool, directory }, carillon.tenantId, id, { address: 'a@example.com' })
    expect(await test()).toMatchObject({ outcome: 'sent' })
    const refusal = await test().catch(error => error)
    expect(refusal).toMatchObject({ code: 'provider_rate_limited' })
    expect(refusal.retryAfterSeconds).toBeGreaterThan(0)
    expect(processes.receiver.requests).toHaveLength(1)
  })

  it('is for tenants without one of their own', async () => {
    const { directory } = await processes.start(processes.overHttp)
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
    const other = await processes.start(processes.overHttp)
    await other.stop()
    const here = await processes.start({})
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

    await processes.start(processes.overHttp)
    await carillon.skipWaiting()
    await carillon.settled(id, 'sent')
    expect(processes.receiver.requests[0]!.headers.authorization).toBe(`Bearer ${SECRET}`)
    expect(await captured()).not.toContain(id)
    expect(await events('provider_missing')).toEqual([])
  })

  it('simulates as the other one will deliver', async () => {
    await processes.start(processes.overHttp)
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
    const sending = await processes.start(processes.overHttp)
    const { directory } = await processes.start({ CARILLON_PROVIDERS: 'email=capture' })
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
    await processes.start({})
    const id = await carillon.send()
    await carillon.settled(id, 'sent')
    expect(await captured()).toContain(id)
  })

  it('waits while the provider is switched off, and is sent when it is on again', async () => {
    await processes.start({})
    const { body } = await carillon.request('POST', '/v1/providers', {
      body: { ...aMailServer, config: { url: processes.receiver.url }, is_active: false },
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
    expect(processes.receiver.requests).toHaveLength(1)
    expect(await captured()).not.toContain(id)
  })

  it('waits while its settings cannot be read', async () => {
    await processes.start({})
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

describe('a test message', () => {
  it('is refused with 429 when the rate of the provider is used up', async () => {
    const { body } = await carillon.request('POST', '/v1/providers', {
      body: { ...aMailServer, config: { url: processes.receiver.url }, rate_limit: 1 },
    })
    const test = () =>
      carillon.request('POST', `/v1/providers/${body.id}/test`, { body: { address: 'a@example.com' } })
    expect((await test()).body).toMatchObject({ outcome: 'sent' })
    const refused = await test()
    expect(problemOf(refused)).toMatchObject({
      status: 429,
      code: 'provider_rate_limited',
      detail: expect.stringContaining('"own"'),
    })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect(processes.receiver.requests).toHaveLength(1)
  })
})
