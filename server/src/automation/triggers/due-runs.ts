/** Which runs of a cron trigger are to happen now, and when the next one is due. Pure: the caller says what time it is. */
import type { MISFIRE_POLICIES } from '@carillon/contract'
import { nextRun } from '../../intake/schedules/next-runs.ts'

export interface CronTimes {
  cron: string
  timezone: string
  misfire_policy: (typeof MISFIRE_POLICIES)[number]
  /** The oldest run that has not happened yet. */
  next_run_at: Date
}

export interface DueRuns {
  runs: Date[]
  /** null: the expression matches no later time. */
  next: Date | null
}

/** With `run_all`, of a long time without a ticker no more than the first hundred runs are made up for. */
const MAX_RUNS = 100
/** With `skip`, a run that is later than this does not happen. */
const MAX_LATE_MS = 60_000

export function dueRuns(times: CronTimes, now: Date): DueRuns {
  return {
    runs: RUNS[times.misfire_policy](times, now),
    next: nextRun(times.cron, times.timezone, now) ?? null,
  }
}

const RUNS: Record<CronTimes['misfire_policy'], (times: CronTimes, now: Date) => Date[]> = {
  run_once: times => [times.next_run_at],
  run_all: (times, now) => runsFrom(times, times.next_run_at, now),
  skip(times, now) {
    const earliest = new Date(now.getTime() - MAX_LATE_MS)
    if (times.next_run_at >= earliest) return runsFrom(times, times.next_run_at, now)
    const first = nextRun(times.cron, times.timezone, new Date(earliest.getTime() - 1))
    return first === undefined ? [] : runsFrom(times, first, now)
  },
}

/** Up to and including now. */
function runsFrom({ cron, timezone }: CronTimes, first: Date, now: Date): Date[] {
  const runs: Date[] = []
  for (let run: Date | undefined = first; run !== undefined && run <= now && runs.length < MAX_RUNS; ) {
    runs.push(run)
    run = nextRun(cron, timezone, run)
  }
  return runs
}
