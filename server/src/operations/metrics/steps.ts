/** The hours or days of a series: those of a zone's calendar, by the rules for zones that quiet hours have too. */
import type { MetricSeriesQuery } from '@carillon/contract'
import { Refusal } from '../../platform/calls/refusal.ts'
import { instantOrJump, localDay } from '../../platform/time/local-time.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const MAX_POINTS = 1000

/** When each step begins, and when the last one ends. */
export function stepsOf({ from, to, step, zone }: MetricSeriesQuery): { starts: Date[]; end: Date } {
  const [first, last] = [Date.parse(from), Date.parse(to)]
  if (last <= first) throw refuse('It has to be later than from.')
  if ((last - first) / (step === 'hour' ? HOUR_MS : DAY_MS) > MAX_POINTS + 1) throw tooMany()
  const starts: Date[] = []
  let at = step === 'hour' ? Math.floor(first / HOUR_MS) * HOUR_MS : startOfDay(zone, first)
  while (at < last) {
    starts.push(new Date(at))
    at = step === 'hour' ? at + HOUR_MS : nextDay(zone, at)
  }
  if (starts.length > MAX_POINTS) throw tooMany()
  return { starts, end: new Date(at) }
}

const refuse = (message: string) =>
  new Refusal('invalid_request', 'The times do not make a series.', [{ field: 'to', message }])
const tooMany = () => refuse(`A series has at most ${MAX_POINTS} points: ask for days, or for less time.`)

function startOfDay(zone: string, at: number): number {
  return instantOrJump(zone, Date.parse(localDay(zone, at)))
}

/** Days have 23 to 25 hours, and now and then a zone leaves one out: whatever comes next is later than this one. */
function nextDay(zone: string, start: number): number {
  const tomorrow = Date.parse(localDay(zone, start)) + DAY_MS
  return [tomorrow, tomorrow + DAY_MS].map(day => instantOrJump(zone, day)).find(at => at > start)!
}
