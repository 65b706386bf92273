/** What an operator allows a tenant as a whole, whatever the tenant's own keys try. */
import { beforeEach, describe, expect, it } from 'vitest'
import { AN_INTENT, problemOf, useCarillon } from '../../../test/carillon.ts'
import { expandChunk } from '../../planning/expansions/expander.ts'
import { measureStorage } from './operator-queries.ts'

const carillon = useCarillon()
let tenant: { id: string; name: string; key: string }
let unique = 0

beforeEach(async () => {
  const name = `tenant-${++unique}`
  tenant = { name, ...(await carillon.createTenant(name)) }
})

const allow = (quota: object) => carillon.request('PATCH', `/v1/tenants/${tenant.id}`, { body: { quota } })
const ask = (
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
  key = tenant.key,
) => carillon.request(method, path, { key, ...(body && { body }) })
const send = (more: object = {}) =>
  ask('POST', '/v1/intents', { ...AN_INTENT, idempotency_key: `q-${++unique}`, ...more })
const to = (...addresses: string[]) => ({ audience: { kind: 'addresses', channel: 'email', addresses } })

it('a quota is the operator’s: the tenant sees it and cannot change it', async () => {
  const { body } = await allow({ routes_per_day: 5, storage_mb: 7 })
  expect(body.quota).toEqual({ requests_per_minute: null, routes_per_day: 5, storage_mb: 7 })
  expect((await ask('GET', '/v1/tenant')).body.quota).toEqual(body.quota)
  for (const lifted of [{ quota: { routes_per_day: null } }, { quota_routes_per_day: null }])
    expect(problemOf(await ask('PATCH', '/v1/tenant', lifted)).code).toBe('invalid_request')
  const lift = { quota: { routes_per_day: null } }
  expect(problemOf(await ask('PATCH', `/v1/tenants/${tenant.id}`, lift)).code).toBe('forbidden')
  expect((await allow({ routes_per_day: 6 })).body.quota).toMatchObject({
    routes_per_day: 6,
    storage_mb: 7,
  })
})

it('the quota of a new tenant holds from the start', async () => {
  const body = { name: `born-${unique}`, quota: { requests_per_minute: 3 } }
  const created = await carillon.request('POST', '/v1/tenants', { body })
  expect(created.body.quota).toMatchObject({ requests_per_minute: 3, routes_per_day: null })
})

const quotaEvents = async () =>
  (await carillon.readAll('/v1/system-events?event_type=quota_exceeded', 100, tenant.key)).map(
    ({ subject, details }) => [subject, details.count],
  )

it('a quota that is used up raises one system event, however many intents are refused', {
  tags: 'S004-13',
}, async () => {
  await allow({ routes_per_day: 1 })
  for (let n = 0; n < 4; n++) await send(to(`${n}@example.com`))
  expect(await quotaEvents()).toEqual([['routes_per_day', 1]])
})

it('suspending a tenant raises a system event, which is resolved when the tenant is resumed', {
  tags: 'S004-13',
}, async () => {
  const paused = async () =>
    (await carillon.readAll('/v1/system-events?event_type=sending_paused', 100, tenant.key)).map(
      ({ is_resolved }) => is_resolved,
    )
  await carillon.request('POST', `/v1/tenants/${tenant.id}/suspend`, { body: {} })
  await carillon.request('POST', `/v1/tenants/${tenant.id}/resume`, { body: {} })
  expect(await paused()).toEqual([true])
})

it('the quota of requests is shared by all keys and users of a tenant', async () => {
  await ask('PUT', '/v1/users/ada', {})
  const keys = [tenant.key]
  for (const user_id of [undefined, 'ada'])
    keys.push((await ask('POST', '/v1/api-keys', { name: 'more', role: 'owner', user_id })).body.key)
  await allow({ requests_per_minute: 6 })
  const statuses = []
  for (let i = 0; i < 9; i++) statuses.push((await ask('GET', '/v1/tenant', undefined, keys[i % 3]!)).status)
  expect(statuses).toEqual([...Array(6).fill(200), ...Array(3).fill(429)])
  expect((await carillon.request('GET', '/v1/tenant')).status).toBe(200)
  carillon.limitClock.ms += 60_000
  expect((await ask('GET', '/v1/tenant')).headers['ratelimit-limit']).toBe('6')
})

it('the quota of routes per day is never exceeded, one by one or all at once', async () => {
  await allow({ routes_per_day: 4 })
  const answers = await Promise.all(Array.from({ length: 10 }, () => send()))
  expect(answers.filter(answer => answer.status === 202)).toHaveLength(4)
  const problem = problemOf(await send())
  expect(problem).toMatchObject({ status: 429, code: 'rate_limited', errors: [{ field: 'audience' }] })
  const refused = answers.find(answer => answer.status === 429)!
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  expect((await carillon.request('POST', '/v1/intents', { body: AN_INTENT })).status).toBe(202)
})

it('the quota of routes counts recipients; what does not fit leaves room for what does', async () => {
  await allow({ routes_per_day: 3 })
  const statuses = []
  for (const audience of [to('a@x.de', 'b@x.de'), to('c@x.de', 'd@x.de'), to('e@x.de'), to('f@x.de')])
    statuses.push((await send(audience)).status)
  expect(statuses).toEqual([202, 429, 202, 429])
})

it('a repeat is answered as such when the quota of routes is used up', async () => {
  await allow({ routes_per_day: 1 })
  const again = { idempotency_key: 'again' }
  expect([(await send(again)).status, (await send(again)).status]).toEqual([202, 200])
})

it('the quota of routes starts anew every day, and a large audience goes on then', async () => {
  for (const id of ['a', 'b', 'c']) await ask('PUT', `/v1/users/${id}`, { email: `${id}@example.com` })
  await allow({ routes_per_day: 2 })
  await send({ audience: { kind: 'tenant' }, channels: ['email'] })
  const expand = () => expandChunk({ pool: carillon.pool, onExpanded: () => {} })
  expect([await expand(), await expand()]).toEqual([tenant.id, undefined])
  const routes = async () => (await carillon.readAll('/v1/routes', 100, tenant.key)).length
  expect([await routes(), (await send()).status]).toEqual([2, 429])
  await carillon.pool.query(
    "update rate_limits set window_start = window_start - interval '1 day' where limit_type = 'route'",
  )
  expect([await expand(), await routes()]).toEqual([tenant.id, 3])
})

describe('the storage quota', () => {
  async function measure() {
    while (await measureStorage(carillon.pool, 600));
  }

  it('a storage quota that is used up stops what adds to it, not what makes room', async () => {
    await allow({ storage_mb: 1 })
    await ask('PUT', '/v1/users/ada', {})
    for (let i = 0; i < 40; i++)
      expect((await send({ payload: { title: 'x', body: randomText(50_000) } })).status).toBe(202)
    await measure()
    expect((await ask('GET', '/v1/tenant')).body.storage_bytes).toBeGreaterThan(1_000_000)
    expect(problemOf(await send())).toMatchObject({ status: 403, code: 'quota_exceeded' })
    expect(await quotaEvents()).toEqual([['storage_mb', 1]])
    expect(problemOf(await ask('PUT', '/v1/users/bob', {})).code).toBe('quota_exceeded')
    expect((await ask('PATCH', '/v1/tenant', { record_retention_days: 30 })).status).toBe(200)
    expect((await ask('DELETE', '/v1/users/ada')).status).toBe(204)
    const direct = carillon.pool.query('select notify($1)', [{ ...AN_INTENT, tenant: tenant.name }])
    await expect(direct).rejects.toThrow(/storage/)
    await carillon.pool.query('delete from records where tenant_id = $1', [tenant.id])
    await measure()
    expect(problemOf(await send()).code).toBe('quota_exceeded')
    await allow({ storage_mb: 1 })
    await measure()
    expect((await send()).status).toBe(202)
  })
})

/** Does not become smaller when it is compressed. */
function randomText(length: number): string {
  let text = ''
  while (text.length < length) text += Math.random().toString(36).slice(2)
  return text
}
