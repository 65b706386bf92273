/**
 * Counts what happened to notifications, hour by hour. Routes change after their hour has passed, so hours are counted
 * again: the current one every round, and the one before while some of its routes are open; those of the last two days once
 * they have ended, and then less and less often; older ones while some of their routes are open or were replayed. Counting
 * twice gives the same rows.
 */
import { type Pool, transaction } from '../../platform/database/pool.ts'
import { createLoop, type Service } from '../../platform/queue/service.ts'
import type { Wake } from '../../platform/queue/wake.ts'
import { countDays, countHours, lockCounting, selectHoursToCount, selectTenantIds } from './count-hours.ts'

/** Few enough to keep each transaction short, even after a long pause. */
const HOURS_PER_TRANSACTION = 100
/** Pause after a round, as a multiple of its duration: counting busy hours never takes more than a twentieth of the time. */
const PAUSE_FACTOR = 20

/** Answers how many hours were counted. */
export async function rollUpMetrics(pool: Pool): Promise<number> {
  let counted = 0
  for (const tenantId of await selectTenantIds(pool)) counted += await rollUpTenant(pool, tenantId)
  return counted
}

export async function rollUpTenant(pool: Pool, tenantId: string): Promise<number> {
  let counted = 0
  for (let after: Date | null = null; ; ) {
    const hours: Date[] = await transaction(pool, async tx => {
      // If another process is counting, it does the same work.
      if (!(await lockCounting(tx, tenantId))) return []
      const due = await selectHoursToCount(tx, tenantId, after, HOURS_PER_TRANSACTION)
      if (due.length === 0) return due
      await countHours(tx, tenantId, due)
      await countDays(tx, tenantId, due)
      return due
    })
    counted += hours.length
    after = hours.at(-1) ?? after
    if (hours.length < HOURS_PER_TRANSACTION) return counted
  }
}

export function createMetricsRollup(options: {
  pool: Pool
  wake: Wake
  intervalMs: number
  now: () => number
  onError: (error: unknown) => void
}): Service {
  return createLoop({
    name: 'metrics',
    round: async () => {
      const startedMs = options.now()
      await rollUpMetrics(options.pool)
      return Math.max(options.intervalMs, PAUSE_FACTOR * (options.now() - startedMs))
    },
    wait: ms => options.wake.wait(ms),
    interrupt: () => options.wake.call(),
    onError: options.onError,
  })
}
