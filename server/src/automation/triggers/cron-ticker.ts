/**
 * Fires cron triggers that are due. Firing and setting the next time are one transaction under the row's lock, so a run
 * happens exactly once, even if a ticker dies or several are at work. Runs that were missed because no ticker was up are
 * made up for as the trigger's misfire policy says; those of a suspended tenant are not.
 */
import { localTime } from '../../intake/schedules/next-runs.ts'
import { raiseSystemEvent } from '../../oversight/system-events/system-events.ts'
import { isUnavailableError } from '../../platform/database/errors.ts'
import { type Client, type Pool, transaction } from '../../platform/database/pool.ts'
import { createLoop, type Service } from '../../platform/queue/service.ts'
import type { Wake } from '../../platform/queue/wake.ts'
import { storable } from '../../platform/text/cut.ts'
import { type DueCronRow, finishRuns, lockDueCron, postponeRun, updateNextRun } from './cron-queries.ts'
import { dueRuns } from './due-runs.ts'
import { fireTrigger } from './triggers.ts'

const MAX_ERROR_LENGTH = 1000
/** A trigger that cannot be fired is tried again after this time: another process may know its time zone. */
const BROKEN_WAIT_MS = 60_000

export interface CronTickerOptions {
  pool: Pool
  wake: Wake
  pollMs: number
  /** The outbox has new rows. */
  onFired: () => void
  onError: (error: unknown) => void
}

export function createCronTicker(options: CronTickerOptions): Service {
  return createLoop({
    name: 'cron ticker',
    round: async () => ((await fireDueTrigger(options)) ? 0 : options.pollMs),
    wait: ms => options.wake.wait(ms),
    interrupt: () => options.wake.call(),
    onError: options.onError,
  })
}

/** Fires the trigger that has been due longest. Returns whether there was one. */
export async function fireDueTrigger({
  pool,
  onFired,
}: Pick<CronTickerOptions, 'pool' | 'onFired'>): Promise<boolean> {
  const fired = await transaction(pool, async tx => {
    const due = await lockDueCron(tx)
    return due && fireOrPostpone(tx, due)
  })
  if (fired !== undefined && fired > 0) onFired()
  return fired !== undefined
}

/** Leaves out the runs that were due up to then, whatever the misfire policies: each trigger goes on with its next one. */
export async function skipMissedTriggers(pool: Pool, until: Date): Promise<void> {
  for (let isMore = true; isMore; ) {
    isMore = await transaction(pool, async tx => {
      const due = await lockDueCron(tx)
      if (due === undefined || due.next_run_at > until) return false
      await updateNextRun(tx, due, dueRuns(due, due.now).next)
      return true
    })
  }
}

/** A trigger that cannot be fired must not stop the others, which would all wait behind it. */
async function fireOrPostpone(tx: Client, due: DueCronRow): Promise<number> {
  await tx.query('savepoint before_firing')
  try {
    return await fire(tx, due)
  } catch (error) {
    if (isUnavailableError(error)) throw error
    await tx.query('rollback to savepoint before_firing')
    await postponeRun(tx, due, BROKEN_WAIT_MS)
    await reportBroken(tx, due, error as Error)
    return 0
  }
}

/** Returns how many runs there are. */
async function fire(tx: Client, due: DueCronRow): Promise<number> {
  const { runs: missed, next } = dueRuns(due, due.now)
  const runs = due.is_suspended ? [] : missed
  for (const run of runs) await fireTrigger(tx, due, 'run', dataOf(due, run), { origin: 'cron' })
  await finishRuns(tx, due, { lastRunAt: runs.at(-1), nextRunAt: next })
  return runs.length
}

function dataOf({ timezone }: DueCronRow, run: Date): string {
  return JSON.stringify({ scheduled_at: run.toISOString(), local: localTime(run, timezone) })
}

async function reportBroken(tx: Client, { tenant_id, id, name }: DueCronRow, error: Error): Promise<void> {
  await raiseSystemEvent(tx, {
    tenant_id,
    event_type: 'trigger_failed',
    subject: id,
    severity: 'medium',
    description: `The cron trigger "${name}" could not be fired.`,
    details: { error: storable(error.message, MAX_ERROR_LENGTH) },
  })
}
