import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { AN_INTENT, useCarillon } from '../../../test/carillon.ts'
import { canStartRedis, useRedis } from '../../../test/redis.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { createApi } from '../../api.ts'
import { createReplyWaiter } from '../../automation/invocations/waiting.ts'
import { createEventWriter } from '../../events/domain-events/append.ts'
import { createLiveHub } from '../../inbox/live/hub.ts'
import { createAcceptor } from '../../intake/intents/accept.ts'
import { createMetrics } from '../../operations/telemetry/metrics.ts'
import type { App } from '../../platform/http/server.ts'
import { createSandbox } from '../../platform/sandbox/sandbox.ts'
import { createKeyDirectory } from '../api-keys/api-keys.ts'
import { createTokenDirectory } from '../user-tokens/directory.ts'
import { createFallbackStore } from './fallback.ts'
import { createLimits, type Limits } from './limits.ts'
import type { LimitStore } from './store.ts'

describe('a store that falls back', () => {
  const answer = { granted: 1, used: 1, reset_ms: 1 }
  const ask = { tenant_id: '', key_hash: '', window_seconds: 1, limit: 1, known: { used: 0, ms: 0 } }

  it('a fallback store does not ask a failing store for a second, and reports its loss and return once', async () => {
    let now = 0
    const calls: string[] = []
    let isAway = false
    const storeNamed = (name: string): LimitStore => ({
      countRequests: async () => [answer],
      async countTry() {
        calls.push(name)
        if (name === 'first' && isAway) throw new Error('gone')
        return answer
      },
    })
    const store = createFallbackStore({
      first: storeNamed('first'),
      second: storeNamed('second'),
      now: () => now,
      onLost: () => calls.push('lost'),
      onBack: () => calls.push('back'),
    })
    await store.countTry(ask)
    isAway = true
    await store.countTry(ask)
    now = 999
    await store.countTry(ask)
    now = 1000
    await store.countTry(ask)
    isAway = false
    now = 2000
    await store.countTry(ask)
    expect(calls).toEqual(['first', 'first', 'lost', 'second', 'second', 'first', 'second', 'first', 'back'])
  })
})

describe.runIf(canStartRedis)('with a Redis', () => {
  const redis = useRedis()
  const carillon = useCarillon()
  const told: string[] = []
  let limits: Limits
  let api: App

  beforeAll(async () => {
    limits = newLimits()
    const tokens = createTokenDirectory({ db: carillon.pool, keyring: carillon.providers.keyring })
    api = await createApi({
      pool: carillon.pool,
      log: pino({ level: 'silent' }),
      keys: createKeyDirectory(carillon.pool, Date.now, 0),
      acceptor: createAcceptor({ pool: carillon.pool, onAccepted: () => {}, onBatch: () => {} }),
      events: createEventWriter({ pool: carillon.pool, onAppended: () => {} }),
      limits,
      metrics: createMetrics(carillon.pool),
      ...carillon.providers,
      sandbox: createSandbox({ workers: 1 }),
      onDue: () => {},
      replies: createReplyWaiter({ pool: carillon.pool, onError: () => {} }),
      tokens,
      live: createLiveHub({ pool: carillon.pool, ended: tokens.ended, onError: () => {} }),
      isServing: () => true,
      examine: () => Promise.reject(new Error('not asked')),
      checkAnswers: true,
    })
  })
  afterAll(async () => {
    await limits.close()
    await api.close()
  })
  beforeEach(async () => {
    await redis.kill()
    await redis.restart()
    await waitFor(isConnected, { what: 'the limits to count in Redis' })
    told.length = 0
  })

  function newLimits(redisUrl = redis.url): Limits {
    return createLimits({
      db: carillon.pool,
      redisUrl,
      onRedisLost: () => told.push('lost'),
      onRedisBack: () => told.push('back'),
    })
  }
  const rows = async (table: string) => (await carillon.rowCounts())[table]
  const isConnected = async () => {
    const before = await rows('limit_counters')
    await limits.tries.check(carillon.tenantId, { key: randomUUID(), limit: 1, window_seconds: 60 })
    return (await rows('limit_counters')) === before
  }
  const caller = (fields: object = {}) => ({
    tenant_id: carillon.tenantId,
    user_id: null,
    api_key_id: '',
    requests_per_minute: null,
    notifications_per_day: null,
    ...fields,
  })
  /** Limits per day: their window ends in the middle of a test only at midnight. */
  async function dayLimit(notifications_per_day: number) {
    const { id } = await carillon.createKey({ name: 'k' })
    return caller({ api_key_id: id, notifications_per_day })
  }
  const take = async (from: Limits, who: ReturnType<typeof caller>, times: number) => {
    let granted = 0
    for (let n = 0; n < times; n++) granted += (await from.limiter.takeNotifications(who, 1))!.granted
    return granted
  }

  it('limits are counted in Redis and write nothing to the database', { tags: 'S004-15' }, async () => {
    const who = await dayLimit(50)
    const before = await rows('rate_limits')
    expect(await take(limits, who, 60)).toBe(50)
    expect(await rows('rate_limits')).toBe(before)
  })

  it('the database takes over from a killed Redis, and not one more than the limit passes', {
    tags: 'S004-15',
  }, async () => {
    const who = await dayLimit(90)
    expect(await take(limits, who, 40)).toBe(40)
    await redis.kill()
    expect(await take(limits, who, 80)).toBe(50)
    expect(told).toEqual(['lost'])
    // A process without this one's memory finds the whole count in the database.
    const other = newLimits('')
    expect(await take(other, who, 1)).toBe(0)
    await other.close()
  })

  it('a Redis that is back and empty continues from the last count', { tags: 'S004-15' }, async () => {
    const who = await dayLimit(90)
    await take(limits, who, 30)
    await redis.kill()
    await take(limits, who, 30)
    await redis.restart()
    await waitFor(isConnected, { what: 'the limits to count in Redis again' })
    expect(await take(limits, who, 90)).toBe(30)
    expect(told).toEqual(['lost', 'back'])
  })

  it('the database takes over from a Redis that hangs', { tags: 'S004-15' }, async () => {
    const who = await dayLimit(90)
    await take(limits, who, 10)
    redis.pause()
    try {
      expect(await take(limits, who, 90)).toBe(80)
    } finally {
      redis.resume()
    }
    expect(told).toContain('lost')
  })

  it('the tries of a key continue in the database when Redis is killed', {
    tags: ['S004-15', 'S004-16'],
  }, async () => {
    const check = async () =>
      (await limits.tries.check(carillon.tenantId, { key: 'reset:a@b.c', limit: 5, window_seconds: 3600 }))
        .allowed
    const answers = [await check(), await check(), await check()]
    await redis.kill()
    for (let n = 0; n < 3; n++) answers.push(await check())
    expect(answers).toEqual([true, true, true, true, true, false])
  })

  it('losing Redis loses no notification', { tags: 'S004-15' }, async () => {
    const body = (n: number) => ({ ...AN_INTENT, idempotency_key: `lost-${n}` })
    await carillon.request('PATCH', '/v1/tenant', { body: { notifications_per_day: 1_000_000 } })
    const send = async (n: number) =>
      (
        await api.inject({
          method: 'POST',
          url: '/v1/intents',
          headers: { authorization: `Bearer ${carillon.key}` },
          payload: body(n),
        })
      ).statusCode
    const before = await Promise.all(Array.from({ length: 50 }, (_, n) => send(n)))
    const during = Array.from({ length: 100 }, (_, n) => send(50 + n))
    await redis.kill()
    const after = await Promise.all(Array.from({ length: 50 }, (_, n) => send(150 + n)))
    const statuses = [...before, ...(await Promise.all(during)), ...after]
    expect(statuses).toEqual(Array(200).fill(202))
    const keys = (await carillon.readAll('/v1/records')).map(record => record.idempotency_key)
    expect(keys.filter(key => key.startsWith('lost-'))).toHaveLength(200)
    await carillon.request('PATCH', '/v1/tenant', { body: { notifications_per_day: null } })
  })
})
