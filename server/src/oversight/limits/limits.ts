/** Limits as a whole: counted in Redis when there is one, in the database otherwise and meanwhile. */
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
  /** '' counts in the database. */
  redisUrl: string
  onRedisLost: (error: unknown) => void
  onRedisBack: () => void
  /** Tests move it; milliseconds since 1970, also in the database. */
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
