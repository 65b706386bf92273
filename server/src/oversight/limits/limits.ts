/** Puts the limits together: counted in Redis if configured; otherwise, and while Redis is down, in the database. */
import { performance } from 'node:perf_hooks'
import type { Executor } from '../../platform/database/pool.ts'
import { createDatabaseStore } from './database-store.ts'
import { createFallbackStore } from './fallback.ts'
import { createLimiter, type Limiter } from './limiter.ts'
import { createRedisStore } from './redis-store.ts'
import { createTryCounter, type TryCounter } from './tries.ts'

export interface Limits {
  limiter: Limiter
  tries: TryCounter
  close(): Promise<void>
}

export interface LimitsOptions {
  db: Executor
  /** Empty: count in the database. */
  redisUrl: string
  onRedisLost: (error: unknown) => void
  onRedisBack: () => void
  /** For tests: milliseconds since 1970, used in the database too. */
  clock?: () => number
}

export function createLimits({ db, redisUrl, onRedisLost, onRedisBack, clock }: LimitsOptions): Limits {
  const now = clock ?? (() => performance.now())
  const database = createDatabaseStore(db, () => (clock === undefined ? null : new Date(clock())))
  const redis = redisUrl === '' ? undefined : createRedisStore(redisUrl)
  const store =
    redis === undefined
      ? database
      : createFallbackStore({ first: redis, second: database, now, onLost: onRedisLost, onBack: onRedisBack })
  return {
    limiter: createLimiter({ store, now }),
    tries: createTryCounter({ store, now, date: clock ?? Date.now }),
    close: async () => redis?.close(),
  }
}
