import { beforeEach, describe, expect, it } from 'vitest'
import { AN_INTENT, type Answer, problemOf, useCarillon } from '../../../test/carillon.ts'

const carillon = useCarillon()

/** A tenant with these limits: the key of its owner. */
async function limited(settings: object): Promise<string> {
  const { key } = await carillon.createTenant(`limited ${++tenants}`)
  await carillon.request('PATCH', '/v1/tenant', { body: settings, key })
  return key
}
let tenants = 0
beforeEach(() => {
  carillon.limitClock.ms = Date.UTC(2026, 2, 1 + tenants, 10, 0, 15)
})

const limitsOf = ({ headers }: Answer) =>
  ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after'].map(name => headers[name])
const get = (key: string) => carillon.request('GET', '/v1/users', { key })
let unique = 0
const intent = (n = ++unique) => ({ ...AN_INTENT, idempotency_key: `k${n}` })
const send = (key: string, body: object = intent()) => carillon.request('POST', '/v1/intents', { body, key })

it('requests per minute are stated in headers, and refused over the limit until the minute ends', {
  tags: 'S002-25',
}, async () => {
  const key = await limited({ requests_per_minute: 3 })
  const answers = [await get(key), await get(key), await get(key), await get(key)]
  expect(answers.map(answer => answer.status)).toEqual([200, 200, 200, 429])
  expect(answers.map(limitsOf)).toEqual([
    ['3', '2', '45', undefined],
    ['3', '1', '45', undefined],
    ['3', '0', '45', undefined],
    ['3', '0', '45', '45'],
  ])
  expect(problemOf(answers[3]!)).toMatchObject({
    code: 'rate_limited',
    detail: 'All 3 requests per minute are used up; the count restarts in 45 seconds.',
  })
  carillon.limitClock.ms += 45_000
  expect((await get(key)).status).toBe(200)
})

it('the limit of requests counts every operation, even one refused for another reason', {
  tags: 'S002-25',
}, async () => {
  const key = await limited({ requests_per_minute: 3 })
  await carillon.request('POST', '/v1/intents', { body: {}, key })
  await carillon.request('GET', '/v1/users/nobody', { key })
  expect((await get(key)).headers['ratelimit-remaining']).toBe('0')
})

it('making keys and users does not multiply the limit of requests', async () => {
  const owner = await limited({ requests_per_minute: 6 })
  const create = async (key: string, input: object) =>
    (await carillon.request('POST', '/v1/api-keys', { key, body: { name: 'made', ...input } })).body
  const admin = await create(owner, { role: 'admin' })
  expect(admin.limited_as).toBeNull()
  await carillon.request('PUT', '/v1/users/ada', { key: admin.key, body: {} })
  const first = await create(admin.key, { role: 'admin' })
  const second = await create(first.key, { role: 'viewer', user_id: 'ada' })
  expect([first.limited_as, second.limited_as]).toEqual([admin.id, admin.id])
  const statuses = []
  for (const { key } of [admin, first, second, second]) statuses.push((await get(key)).status)
  // Three were used by creating things.
  expect(statuses).toEqual([200, 200, 200, 429])
  expect((await get(owner)).status).toBe(200)
})

it('the limit of requests counts what the key may not do', { tags: 'S002-25' }, async () => {
  const owner = await limited({ requests_per_minute: 2 })
  const { body } = await carillon.request('POST', '/v1/api-keys', {
    body: { name: 'nosy', scopes: [] },
    key: owner,
  })
  const statuses = [await get(body.key), await get(body.key), await get(body.key)].map(({ status }) => status)
  expect(statuses).toEqual([403, 403, 429])
})

it('requests without a key and public operations do not count', async () => {
  const key = await limited({ requests_per_minute: 1 })
  for (let n = 0; n < 3; n++) await carillon.request('GET', '/v1/users', { key: null })
  expect((await carillon.request('GET', '/healthz', { key })).headers['ratelimit-limit']).toBeUndefined()
  expect((await get(key)).status).toBe(200)
})

it('a limit of requests can be removed with null', async () => {
  const key = await limited({ requests_per_minute: 2 })
  const other = await carillon.request('POST', '/v1/api-keys', { body: { name: 'o', role: 'owner' }, key })
  expect(other.headers['ratelimit-remaining']).toBe('1')
  await carillon.request('PATCH', '/v1/tenant', {
    body: { requests_per_minute: null },
    key: other.body.key,
  })
  for (let n = 0; n < 5; n++) expect(limitsOf(await get(key))[0]).toBeUndefined()
})

it('notifications per day are refused over the limit until midnight UTC; only new ones count', {
  tags: 'S002-25',
}, async () => {
  const key = await limited({ notifications_per_day: 2 })
  const first = intent()
  const answers = [await send(key, first), await send(key, first), await send(key), await send(key)]
  expect(answers.map(answer => [answer.status, answer.headers['ratelimit-remaining']])).toEqual([
    [202, '1'],
    [200, '1'],
    [202, '0'],
    [429, '0'],
  ])
  expect(answers[3]!.headers['retry-after']).toBe(String(14 * 3600 - 15))
  expect(problemOf(answers[3]!).code).toBe('rate_limited')
  carillon.limitClock.ms = Date.UTC(2026, 2, 2 + tenants)
  expect((await send(key)).status).toBe(202)
})

it('an intent that cannot be accepted uses nothing of the daily limit', async () => {
  const key = await limited({ notifications_per_day: 1 })
  const unknown = { ...intent(), audience: { kind: 'users', user_ids: ['nobody'] } }
  expect((await send(key, unknown)).status).toBe(400)
  expect((await send(key, { ...intent(), payload: 'no' })).status).toBe(400)
  expect((await send(key)).status).toBe(202)
})

it('what fits of a batch is accepted, and the rest is marked differently from malformed intents', {
  tags: 'S002-25',
}, async () => {
  const key = await limited({ notifications_per_day: 3 })
  const intents = Array.from({ length: 5 }, (_, n) => ({ ...intent(), source_entry_id: `e${n}` }))
  const answer = await carillon.request('POST', '/v1/intents/batch', { body: { intents }, key })
  expect(answer.body).toMatchObject({ accepted: 3, failed: 2 })
  expect(answer.body.items.map((item: { code?: string }) => item.code)).toEqual([
    undefined,
    undefined,
    undefined,
    'rate_limited',
    'rate_limited',
  ])
  expect(await carillon.readAll('/v1/malformed-intents', 100, key)).toEqual([])
  expect(await carillon.readAll('/v1/records', 100, key)).toHaveLength(3)
})

it('of two limits, the headers state the one that is closer', async () => {
  const key = await limited({ notifications_per_day: 1000, requests_per_minute: 10 })
  expect(limitsOf(await send(key)).slice(0, 2)).toEqual(['10', '9'])
  const tight = await limited({ notifications_per_day: 5, requests_per_minute: 10 })
  expect(limitsOf(await send(tight)).slice(0, 2)).toEqual(['5', '4'])
})

it('of two limits that are used up, the headers state the one to wait for', {
  tags: 'S002-25',
}, async () => {
  const key = await limited({ notifications_per_day: 1, requests_per_minute: 2 })
  await send(key)
  const midnight = String(14 * 3600 - 15)
  expect(limitsOf(await send(key))).toEqual(['1', '0', midnight, midnight])
})

describe('the cost of limits', () => {
  /** Counts the statements about limits that reach the database during the work. */
  async function statementsDuring(work: () => Promise<unknown>): Promise<number> {
    const original = carillon.pool.query
    let counted = 0
    carillon.pool.query = ((...statement: [string | { text: string }]) => {
      const text = typeof statement[0] === 'string' ? statement[0] : statement[0].text
      if (/count_requests|rate_limits/.test(text)) counted++
      return Reflect.apply(original, carillon.pool, statement)
    }) as typeof original
    try {
      await work()
    } finally {
      carillon.pool.query = original
    }
    return counted
  }

  it('no statement is about limits when none is set', { tags: 'S002-25' }, async () => {
    expect(
      await statementsDuring(() => Promise.all(Array.from({ length: 200 }, () => send(carillon.key)))),
    ).toBe(0)
  })

  it('a limit costs a statement per hundredth of it, and none when it is used up', {
    tags: 'S002-25',
  }, async () => {
    const key = await limited({ requests_per_minute: 500 })
    const batches = await statementsDuring(async () => {
      for (let n = 0; n < 500; n++) await get(key)
    })
    expect(batches).toBeLessThanOrEqual(100)
    const refused = await statementsDuring(async () => {
      for (let n = 0; n < 50; n++) expect((await get(key)).status).toBe(429)
    })
    expect(refused).toBe(0)
  })

  it('100 requests at once pass exactly as often as the limit says', { tags: 'S002-25' }, async () => {
    const key = await limited({ requests_per_minute: 42 })
    const answers = await Promise.all(Array.from({ length: 100 }, () => get(key)))
    expect(answers.filter(answer => answer.status === 200)).toHaveLength(42)
    expect(answers.filter(answer => answer.status === 429)).toHaveLength(58)
  })
})
