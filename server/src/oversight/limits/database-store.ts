/** Counts limits in PostgreSQL, which is always there; also the fallback for Redis. */
import type { Executor } from '../../platform/database/pool.ts'
import { countRequests, countTry } from './queries.ts'
import type { LimitStore } from './store.ts'

export function createDatabaseStore(db: Executor, clock: () => Date | null = () => null): LimitStore {
  return {
    countRequests: asks => countRequests(db, asks, clock()),
    countTry: ask => countTry(db, ask, clock()),
  }
}
