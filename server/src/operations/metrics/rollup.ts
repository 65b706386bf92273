/**
 * Counting what became of notifications, hour by hour. Routes change after their hour has passed, so an hour is counted
 * again: the current one every round, those of two days ever more seldom, older ones while something of them is open or
 * was replayed. Counting twice gives the same rows.
 */
import { type Pool, transaction } from '../../platform/database/pool.ts'
import { createLoop, type Service } from '../../platform/queue/service.ts'
import type { Wake } from '../../platform/queue/wake.ts'
import { countDays, countHours, lockCounting, selectHoursToCount, selectTenantIds } from './count-hours.ts'

/** Few enough that one transaction stays short also after a long pause. */
const HOURS_AT_ONCE = 100
/** A busy hour takes long to count; then it is counted less often, so that counting stays a twentieth of the time. */
const REST = 20

/** Answers how many hours were counted. */
export async function rollUpMetrics(pool: Pool): Promise<number> {
  let counted = 0
  for (const tenantId of await selectTenantIds(pool)) counted += await rollUpTenant(pool, tenantId)
  return counted
}

async function rollUpTenant(pool: Pool, tenantId: string): Promise<number> {
  let counted = 0
  for (let after: Date | null = null; ; ) {
    const hours: Date[] = await transaction(pool, async tx => {
      // Another process that is at it does the same work.
      if (!(await lockCounting(tx, tenantId))) return []
      const due = await selectHoursToCount(tx, tenantId, after, HOURS_AT_ONCE)
      if (due.length === 0) return due
      await countHours(tx, tenantId, due)
      await countDays(tx, tenantId, due)
      return due
    })
    counted += hours.length
    after = hours.at(-1) ?? after
    if (hours.length < HOURS_AT_ONCE) return counted
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
      const started = options.now()
      await rollUpMetrics(options.pool)
      return Math.max(options.intervalMs, REST * (options.now() - started))
    },
    wait: ms => options.wake.wait(ms),
    interrupt: () => options.wake.call(),
    onError: options.onError,
  })
}
