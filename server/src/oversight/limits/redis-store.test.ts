import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe } from 'vitest'
import { canStartRedis, givenRedisUrl, useRedis } from '../../../test/redis.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { createRedisStore, type RedisStore } from './redis-store.ts'
import { describeStore } from './store.suite.ts'

describe.runIf(canStartRedis || givenRedisUrl !== undefined)('with a Redis', () => {
  const redis = givenRedisUrl === undefined ? useRedis() : { url: givenRedisUrl }
  let store: RedisStore

  beforeAll(async () => {
    store = createRedisStore(redis.url)
    await waitFor(() => store.countRequests([]), { what: 'the connection' })
  })
  afterAll(() => store.close())

  describeStore('Redis', () => ({
    store,
    newCaller: async () => ({ tenant_id: randomUUID(), user_id: randomUUID(), api_key_id: randomUUID() }),
  }))
})
