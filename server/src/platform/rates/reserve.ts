/**
 * Asking for a send under a rate: so many a minute through a provider, or to a webhook's endpoint. Sends go out as soon
 * as they are wanted, and no sixty seconds see more than the rate, over all processes. Concurrent sends ask together: one
 * statement for all that gathered while the last one ran.
 *
 * Other counters of the house solve other problems. A caller's limit (limits/) promises a window with an end in its
 * headers and is taken in shares, so that most requests ask nobody; tries (limits/) begin their window with the first one
 * and are asked for by the application; a cap (people/caps/) counts a person's local day and takes back what was
 * not sent; a throttle (throttles/) skips a message instead of letting it wait; a recovery (webhook-recoveries/) is one
 * row that is worked on by one process at a time, so that a pause between its parts is enough.
 */
import type { Pool } from '../database/pool.ts'
import { createBatcher } from '../queue/batcher.ts'

/** Milliseconds to wait when the rate is used up; undefined = go ahead. */
export type Reserve = () => Promise<number | undefined>

/** How many sends are left, and in how many milliseconds the next one is once they are used up. */
export type RateView = () => Promise<{ left: number; wait_ms: number }>

export interface ReserveOptions {
  pool: Pool
  /** Tests move the rate's clock. */
  rateClock?: () => Date | null
}

/**
 * Those that do not fit are spread over the minutes to come, in order, so that each waits about once instead of all of
 * them coming back together. `subjectId` is what the rate belongs to.
 */
export function createReserve(options: ReserveOptions, subjectId: string, perMinute: number): Reserve {
  const batcher = createBatcher<undefined, number | undefined>({
    maxBatch: 1000,
    flush: async asks => {
      const now = options.rateClock?.() ?? null
      const { granted, wait_ms } = await reserveSends(options.pool, subjectId, perMinute, asks.length, now)
      return asks.map((_, i) =>
        i < granted ? undefined : wait_ms + 60_000 * Math.floor((i - granted) / perMinute),
      )
    },
  })
  return () => batcher.add(undefined)
}

/** Looks at a rate without taking anything from it. */
export function createRateView(options: ReserveOptions, subjectId: string, perMinute: number): RateView {
  return () => selectRate(options.pool, subjectId, perMinute, options.rateClock?.() ?? null)
}

/** Counts as reserve_sends() does. */
async function selectRate(
  pool: Pool,
  subjectId: string,
  perMinute: number,
  at: Date | null,
): Promise<{ left: number; wait_ms: number }> {
  const { rows } = await pool.query<{ left: number; wait_ms: number }>(
    `with clock as (select coalesce($3::timestamptz, clock_timestamp()) as now)
     select greatest(0, $2 - coalesce(sum(s.used), 0))::integer as left,
       (extract(epoch from coalesce(min(s.second), date_trunc('second', clock.now)) + interval '61 seconds' - clock.now)
         * 1000)::float8 as wait_ms
     from clock left join recent_sends s on s.subject_id = $1
       and s.second >= date_trunc('second', clock.now) - interval '60 seconds'
     group by clock.now`,
    [subjectId, perMinute, at],
  )
  return rows[0]!
}

/** Exact across all workers; `at` is for tests, null is now. */
export async function reserveSends(
  pool: Pool,
  subjectId: string,
  perMinute: number,
  wanted: number,
  at: Date | null,
): Promise<{ granted: number; wait_ms: number }> {
  const { rows } = await pool.query<{ granted: number; wait_ms: number }>({
    name: 'reserve_sends',
    text: `
      select granted, greatest(0, extract(epoch from free_at - coalesce($4, clock_timestamp())) * 1000)::float8 as wait_ms
      from reserve_sends($1, $2, $3, coalesce($4::timestamptz, clock_timestamp()))`,
    values: [subjectId, perMinute, wanted, at],
  })
  return rows[0]!
}
