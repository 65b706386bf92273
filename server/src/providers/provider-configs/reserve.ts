/**
 * Asking for a send under a provider's rate limit. Concurrent sends ask together: one statement for all that gathered
 * while the last one ran.
 */
import type { Pool } from '../../platform/database/pool.ts'
import { createBatcher } from '../../platform/queue/batcher.ts'
import { reserveSends } from './queries.ts'

/** Milliseconds to wait when the rate is used up; undefined = go ahead. */
export type Reserve = () => Promise<number | undefined>

export interface ReserveOptions {
  pool: Pool
  /** Tests move the rate limit's clock. */
  rateClock?: () => Date | null
}

/**
 * Those that do not fit are spread over the minutes to come, in order, so that each waits about once instead of all of
 * them coming back together.
 */
export function createReserve(options: ReserveOptions, providerId: string, limit: number): Reserve {
  const batcher = createBatcher<undefined, number | undefined>({
    maxBatch: 1000,
    flush: async asks => {
      const now = options.rateClock?.() ?? null
      const { granted, wait_ms } = await reserveSends(options.pool, providerId, asks.length, now)
      return asks.map((_, i) =>
        i < granted ? undefined : wait_ms + 60_000 * Math.floor((i - granted) / limit),
      )
    },
  })
  return () => batcher.add(undefined)
}
