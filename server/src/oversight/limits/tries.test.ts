import { expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { normaliseKey } from './tries.ts'

const carillon = useCarillon()
const check = (key: string, more: object = {}, apiKey = carillon.key) =>
  carillon.request('POST', '/v1/limits/check', { body: { key, ...more }, key: apiKey })
const allowed = async (...args: Parameters<typeof check>) => (await check(...args)).body.allowed

it('POST /v1/limits/check allows five tries an hour by default, counted from the first', {
  tags: 'S004-16',
}, async () => {
  const key = 'auth:password-reset:ada@example.com:tries'
  const start = carillon.limitClock.ms
  const resets_at = new Date(start + 3_600_000).toISOString()
  expect((await check(key)).body).toEqual({ allowed: true, limit: 5, remaining: 4, resets_at })
  carillon.limitClock.ms += 1_800_000
  const rest = []
  for (let n = 0; n < 5; n++) rest.push((await check(key)).body)
  expect(rest.map(answer => answer.allowed)).toEqual([true, true, true, true, false])
  expect(rest.at(-1)).toEqual({ allowed: false, limit: 5, remaining: 0, resets_at })
  carillon.limitClock.ms = start + 3_599_999
  expect(await allowed(key)).toBe(false)
  carillon.limitClock.ms = start + 3_600_000
  expect(await allowed(key)).toBe(true)
})

it('POST /v1/limits/check uses the cap and the window that the caller gives', {
  tags: 'S004-16',
}, async () => {
  const own = { limit: 1, window_seconds: 60 }
  expect(await allowed('auth:verification-email:bob@example.com:tries', own)).toBe(true)
  expect(await allowed('auth:verification-email:bob@example.com:tries', own)).toBe(false)
  expect(await allowed('auth:password-reset:bob@example.com:tries', own)).toBe(true)
  carillon.limitClock.ms += 60_000
  expect(await allowed('auth:verification-email:bob@example.com:tries', own)).toBe(true)
})

it('POST /v1/limits/check recognises an address in all its spellings', { tags: 'S004-16' }, async () => {
  const spellings = ['Eve@Example.com', ' eve@example.com', 'eve+shop@example.com', 'EVE@EXAMPLE.COM.']
  for (const address of spellings) expect(await allowed(`reset:${address}:tries`, { limit: 4 })).toBe(true)
  expect(await allowed('reset:eve@example.com:tries', { limit: 4 })).toBe(false)
})

it('POST /v1/limits/check does not reveal whether the address is known', { tags: 'S004-16' }, async () => {
  await carillon.putUser('known', { email: 'known@example.com' })
  const [known, unknown] = [
    await check('reset:known@example.com:tries'),
    await check('reset:nobody@example.com:tries'),
  ]
  expect(known.body).toEqual(unknown.body)
  expect([known.status, Object.keys(known.headers)]).toEqual([unknown.status, Object.keys(unknown.headers)])
})

it('POST /v1/limits/check stores a hash and no address', { tags: 'S004-16' }, async () => {
  await check('reset:secret.person@example.com:tries')
  const { rows } = await carillon.pool.query(
    "select string_agg(c::text, ' ') as everything from limit_counters c",
  )
  expect(rows[0].everything).not.toContain('person')
})

it('POST /v1/limits/check counts each tenant’s keys separately', { tags: 'S004-7' }, async () => {
  const other = await carillon.createTenant('other')
  expect(await allowed('shared', { limit: 1 })).toBe(true)
  expect(await allowed('shared', { limit: 1 }, other.key)).toBe(true)
  expect(await allowed('shared', { limit: 1 })).toBe(false)
})

it.each([
  ['no key', {}, 'key'],
  ['an empty key', { key: '' }, 'key'],
  ['a key beyond 500 characters', { key: 'x'.repeat(501) }, 'key'],
  ['no tries at all', { key: 'x', limit: 0 }, 'limit'],
  ['an endless window', { key: 'x', window_seconds: 31_536_001 }, 'window_seconds'],
  ['a misspelt field', { key: 'x', window: 60 }, 'window'],
])('POST /v1/limits/check refuses %s', async (_name, body, field) => {
  const problem = problemOf(await carillon.request('POST', '/v1/limits/check', { body }))
  expect([problem.code, problem.errors?.[0]?.field]).toEqual(['invalid_request', field])
})

it.each([
  ['auth:Reset:Ada@Example.COM:tries', 'auth:Reset:ada@example.com:tries'],
  ['a: ada@example.com :b', 'a:ada@example.com:b'],
  ['ada+news+more@example.com', 'ada@example.com'],
  ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
  ['ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example'],
  ['ａｄａ@example.com', 'ada@example.com'],
  ['"a@b"@example.com', '"a@b"@example.com'],
  ['ada@', 'ada@'],
  ['sms:+49 151 1234', 'sms:+49 151 1234'],
])('the key %s is normalised to %s', (key, normalised) => {
  expect(normaliseKey(key)).toBe(normalised)
})
