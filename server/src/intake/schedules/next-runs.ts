/**
 * When a cron expression next matches the local time of a zone. Pure: the caller says from when to look. A time that a
 * clock change skips is run when the clock has jumped; a time that it repeats is run once. Only an expression that says
 * every hour follows the clock instead: once in every hour that passes.
 *
 * croner reads the expressions, but knows nothing of clock changes here: with a list of hours it ran in both of two
 * repeated hours, and never in a skipped one.
 */
import { Cron } from 'croner'
import { Refusal } from '../../platform/calls/refusal.ts'
import { instantOrJump, offsetAt } from '../../platform/time/local-time.ts'

/** The first time after `after`; undefined when there is none. */
export function nextRun(cron: string, timezone: string, after: Date): Date | undefined {
  return isHourly(cron) ? nextOfEveryHour(cron, timezone, after) : nextAtWallTime(cron, timezone, after)
}

export function nextRuns(cron: string, timezone: string, after: Date, count: number): Date[] {
  const runs: Date[] = []
  for (let next = nextRun(cron, timezone, after); next !== undefined && runs.length < count; ) {
    runs.push(next)
    next = nextRun(cron, timezone, next)
  }
  return runs
}

/** What the wall shows only ever goes on from one match to the next, so the first that is late enough is the one. */
function nextAtWallTime(cron: string, timezone: string, after: Date): Date | undefined {
  const pattern = parse(cron, 'UTC')
  let wall = new Date(after.getTime() + offsetAt(timezone, after.getTime()) - 1000)
  for (;;) {
    const match = pattern.nextRun(wall)
    if (match === null) return undefined
    const at = instantOrJump(timezone, match.getTime())
    if (at > after.getTime()) return new Date(at)
    wall = match
  }
}

function nextOfEveryHour(cron: string, timezone: string, after: Date): Date | undefined {
  return parse(cron, timezone).nextRun(after) ?? undefined
}

function isHourly(cron: string): boolean {
  const [, hours] = cron.trim().split(/\s+/)
  return cron.trim() === '@hourly' || hours === '*' || hours === '*/1' || hours === '0-23'
}

/** Throws a Refusal if the expression cannot be read or never matches. */
export function checkCron(cron: string, timezone: string, after: Date): void {
  try {
    if (nextRun(cron, timezone, after) !== undefined) return
  } catch (error) {
    throw refuse((error as Error).message.replace(/^CronPattern: /, ''))
  }
  throw refuse('It never matches any time.')
}

/** The time in the zone, with its offset: 2026-12-24T09:00:00+01:00. */
export function localTime(at: Date, timezone: string): string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'medium',
  })
  const wall = format.format(at).replace(' ', 'T')
  const minutes = Math.round((Date.parse(`${wall}Z`) - Math.floor(at.getTime() / 1000) * 1000) / 60_000)
  const two = (n: number) => String(n).padStart(2, '0')
  const ahead = Math.abs(minutes)
  return `${wall}${minutes < 0 ? '-' : '+'}${two(Math.floor(ahead / 60))}:${two(ahead % 60)}`
}

function parse(cron: string, timezone: string): Cron {
  // Five parts: nobody wants a notification every second, and send_at is for a single date.
  if (/^\d{4}-/.test(cron)) throw new Error('Expected a cron expression with five parts.')
  return new Cron(cron, { timezone, mode: '5-part', paused: true })
}

function refuse(message: string): Refusal {
  return new Refusal('invalid_request', `cron: ${message}`, [{ field: 'cron', message }])
}
