/**
 * When a digest goes out that a person wants at a certain time of day. Pure: schedule, zone and instant in, instant
 * out.
 *
 * Not with croner, which runs the schedules: if a clock change skips 02:30, croner moves it to 03:00, and not to 03:30
 * as send_at_local does; where a change skips the end of a day, as in Greenland, croner would leave a digest out; and
 * it takes several times as long, for every message that joins a digest.
 */
import { type DigestSchedule, WEEKDAYS } from '@carillon/contract'
import { instantAt, offsetAt, parseLocalTime } from '../../platform/time/local-time.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** The first time after the instant; undefined if every message goes out on its own. */
export function nextDigestAt(schedule: DigestSchedule, zone: string, at: number): number | undefined {
  switch (schedule.every) {
    case 'message':
      return undefined
    case 'hour':
      return nextFullHour(zone, at)
    case 'day':
      return nextDayAt(zone, at, schedule.at, () => true)
    case 'week':
      return nextDayAt(zone, at, schedule.at, day => WEEKDAYS[new Date(day).getUTCDay()] === schedule.on)
  }
}

/** daily at 08:00 */
export function describeSchedule(schedule: DigestSchedule): string {
  switch (schedule.every) {
    case 'message':
      return 'each on its own'
    case 'hour':
      return 'hourly'
    case 'day':
      return `daily at ${schedule.at}`
    case 'week':
      return `weekly on ${schedule.on} at ${schedule.at}`
  }
}

/** If the clock changes by half an hour in between, that hour is longer. */
function nextFullHour(zone: string, at: number): number {
  const step = (from: number) =>
    (Math.floor((from + offsetAt(zone, from)) / HOUR_MS) + 1) * HOUR_MS - offsetAt(zone, from)
  const next = step(at)
  return (next + offsetAt(zone, next)) % HOUR_MS === 0 ? next : step(next)
}

function nextDayAt(zone: string, at: number, time: string, isOn: (day: number) => boolean): number {
  const wall = at + offsetAt(zone, at)
  for (let day = wall - (wall % DAY_MS); ; day += DAY_MS) {
    const instant = instantAt(zone, day + parseLocalTime(time))
    if (instant > at && isOn(day)) return instant
  }
}
