/**
 * Runs schedules that are due. Accepting the intent and setting the next time are one transaction, and the run's time
 * is part of the key, so a run happens exactly once, even if a scheduler dies or several are at work. When runs were
 * missed because no scheduler was up, the schedule runs once and continues from now.
 */
import { raiseSystemEvent } from '../../oversight/system-events/system-events.ts'
import { Refusal } from '../../platform/calls/refusal.ts'
import { isDataError } from '../../platform/database/errors.ts'
import { type Client, type Pool, transaction } from '../../platform/database/pool.ts'
import { createLoop, type Service } from '../../platform/queue/service.ts'
import type { Wake } from '../../platform/queue/wake.ts'
import { storable } from '../../platform/text/cut.ts'
import { acceptInTransaction } from '../intents/accept.ts'
import type { CheckedIntent } from '../intents/intent.ts'
import { nextRun } from './next-runs.ts'
import { finishRun, lockDueSchedule, type ScheduleRow, updateNextRun } from './queries.ts'
import { intentOfRun } from './schedules.ts'

const MAX_ERROR_LENGTH = 1000

export interface SchedulerOptions {
  pool: Pool
  wake: Wake
  pollMs: number
  /** New routes may be due. */
  onAccepted: () => void
  onError: (error: unknown) => void
}

export function createScheduler(options: SchedulerOptions): Service {
  return createLoop({
    name: 'scheduler',
    round: async () => ((await runDueSchedule(options)) ? 0 : options.pollMs),
    wait: ms => options.wake.wait(ms),
    interrupt: () => options.wake.call(),
    onError: options.onError,
  })
}

/** Runs the schedule that has been due longest, once. Returns whether there was one. */
export async function runDueSchedule({
  pool,
  onAccepted,
}: Pick<SchedulerOptions, 'pool' | 'onAccepted'>): Promise<boolean> {
  const hasRun = await transaction(pool, async tx => {
    const schedule = await lockDueSchedule(tx)
    if (schedule === undefined) return false
    const { isFailure, ...sent } = await send(tx, schedule)
    const next = nextRun(schedule.cron, schedule.timezone, schedule.now) ?? null
    await finishRun(tx, schedule, { ...sent, next_run_at: next })
    if (isFailure) await reportFailure(tx, schedule, sent.last_error)
    return true
  })
  if (hasRun) onAccepted()
  return hasRun
}

/** Leaves out the runs that were due up to then: each schedule goes on with its next one. */
export async function skipMissedSchedules(pool: Pool, until: Date): Promise<void> {
  for (let isMore = true; isMore; ) {
    isMore = await transaction(pool, async tx => {
      const schedule = await lockDueSchedule(tx)
      if (schedule === undefined || schedule.next_run_at > until) return false
      await updateNextRun(tx, schedule, nextRun(schedule.cron, schedule.timezone, schedule.now) ?? null)
      return true
    })
  }
}

/**
 * A refused intent must not stop the schedule: a user who does not exist today may exist tomorrow. That a suspended tenant
 * sends nothing is what the operator wanted, so it is no failure.
 */
async function send(tx: Client, schedule: ScheduleRow & { next_run_at: Date }) {
  await tx.query('savepoint before_sending')
  try {
    const { notification_id } = await acceptInTransaction(tx, toIntent(schedule))
    return { isFailure: false, last_notification_id: notification_id, last_error: '' }
  } catch (error) {
    if (!(error instanceof Refusal) && !isDataError(error)) throw error
    await tx.query('rollback to savepoint before_sending')
    return {
      isFailure: !(error instanceof Refusal && error.code === 'tenant_suspended'),
      last_notification_id: null,
      last_error: storable((error as Error).message, MAX_ERROR_LENGTH),
    }
  }
}

function toIntent(schedule: ScheduleRow & { next_run_at: Date }): CheckedIntent {
  const key = `schedule:${schedule.id}:${schedule.next_run_at.toISOString()}`
  return intentOfRun(schedule, schedule.intent, key)
}

async function reportFailure(tx: Client, { tenant_id, id, name }: ScheduleRow, error: string): Promise<void> {
  await raiseSystemEvent(tx, {
    tenant_id,
    event_type: 'schedule_failed',
    subject: id,
    severity: 'medium',
    description: `The schedule "${name}" could not send its notification.`,
    details: { error },
  })
}
