import { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { openTransaction } from '../../../test/open-transaction.ts'
import { canStartRedis, useRedis } from '../../../test/redis.ts'
import { waitFor } from '../../../test/wait-for.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { inboxOf } from './inbox.fixture.ts'
import { createUnreadCache, type UnreadCache } from './unread-cache.ts'

describe.skipIf(!canStartRedis)('a cache of unread counts', () => {
  const carillon = useCarillon()
  const redis = useRedis()
  const inbox = inboxOf(carillon)
  let cache: UnreadCache
  let clock = 0
  let counted = 0
  /** A pool that says when rows are counted. */
  const pool = () =>
    ({
      query(text: string, values: unknown[]) {
        if (text.includes('count(*)')) counted++
        return carillon.pool.query(text, values)
      },
    }) as unknown as Pool
  const owner = (userId = 'ada') => ({ tenantId: carillon.tenantId, userId })
  const count = async (userId?: string) => (await cache.count(pool(), owner(userId))).unread
  /** Whether it counted. */
  const counts = async (expected: number, userId?: string) => {
    const before = counted
    expect(await count(userId)).toBe(expected)
    return counted > before
  }

  /** Once Redis may be asked again after a failure. */
  const countsLater = (expected: number) => {
    clock += 10_000
    return counts(expected)
  }

  beforeAll(async () => {
    for (const user of ['ada', 'bob']) await carillon.putUser(user)
    cache = createUnreadCache(redis.url, () => clock)
    await waitFor(async () => !(await countsLater(0)), { what: 'Redis to keep a count' })
  })
  beforeEach(async () => {
    await inbox.clear()
    const client = new Redis(redis.url)
    await client.flushall()
    client.disconnect()
    clock += 10_000
  })
  afterAll(() => cache?.close())

  it('the unread cache counts again only after a row, an announcement or a receipt is written', {
    tags: 'S004-17',
  }, async () => {
    expect(await counts(0)).toBe(true)
    expect(await counts(0)).toBe(false)
    const [id] = await inbox.add({})
    expect(await counts(1)).toBe(true)
    expect(await counts(1)).toBe(false)
    const [all] = await inbox.add({ user: null })
    expect(await counts(2)).toBe(true)
    await inbox.post('ada', `/${all}/read`)
    expect(await counts(1)).toBe(true)
    await inbox.post('ada', `/${id}/hide`)
    expect(await counts(0)).toBe(true)
    expect(await counts(1, 'bob')).toBe(true)
    await inbox.add({ user: 'bob' })
    expect(await counts(0)).toBe(false)
  })

  it('the unread cache notices a write that commits later than a count that began after it', {
    tags: 'S004-17',
  }, async () => {
    const late = await openTransaction(carillon.pool)
    await inbox.event(9, ['ada'], {}, { db: late.client })
    expect([await count(), await counts(0)]).toEqual([0, false])
    await late.commit()
    expect(await counts(1)).toBe(true)
  })

  it('the unread cache counts in the database while Redis is away and when it comes back empty', {
    tags: ['S004-15', 'S004-17'],
  }, async () => {
    await inbox.add({})
    expect(await count()).toBe(1)
    await redis.kill()
    await inbox.add({})
    expect(await counts(2)).toBe(true)
    expect(await counts(2)).toBe(true)
    await redis.restart()
    await expect.poll(() => countsLater(2)).toBe(false)
  })

  it('the unread cache trusts no foreign values and forgets deleted people', async () => {
    await inbox.add({})
    const client = new Redis(redis.url)
    const key = `carillon:unread:${carillon.tenantId}:ada`
    for (const text of [
      'x',
      '{}',
      '{"unread": "7", "version": "1:1:"}',
      '{"unread": 7, "version": "1", "changed_at": 0}',
    ]) {
      await client.set(key, text)
      expect(await counts(1)).toBe(true)
    }
    client.disconnect()
    await carillon.putUser('leaver')
    expect(await count('leaver')).toBe(0)
    await carillon.request('DELETE', '/v1/users/leaver')
    await expect(count('leaver')).rejects.toMatchObject({ code: 'not_found' })
  })
})
