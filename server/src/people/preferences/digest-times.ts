/**
 * When a digest that a person wants by the clock goes out. Pure: schedule, zone and instant in, instant out.
 *
 * Not by croner, which runs the schedules: there 02:30 comes at 03:00 in the night that skips it, and not at 03:30 as
 * send_at_local does; where a clock skips the end of a day, as in Greenland, a digest would be left out; and it takes
 * several times as long, for every message that joins a digest.
 */
import { type DigestSchedule, WEEKDAYS } from '@carillon/contract'
import { instantAt, offsetAt, parseLocalTime } from '../../platform/time/local-time.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** The first such moment after the instant; undefined where every message goes on its own. */
export function nextDigestAt(schedule: DigestSchedule, zone: string, at: number): number | undefined {
  switch (schedule.every) {
    case 'message':
      return undefined
    case 'hour':
      return nextFullHour(zone, at)
    case 'day':
      return nextOf(zone, at, schedule.at, () => true)
    case 'week':
      return nextOf(zone, at, schedule.at, day => WEEKDAYS[new Date(day).getUTCDay()] === schedule.on)
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

/** A clock that changes by half an hour in between makes that hour longer. */
function nextFullHour(zone: string, at: number): number {
  const step = (from: number) =>
    (Math.floor((from + offsetAt(zone, from)) / HOUR) + 1) * HOUR - offsetAt(zone, from)
  const next = step(at)
  return (next + offsetAt(zone, next)) % HOUR === 0 ? next : step(next)
}

function nextOf(zone: string, at: number, time: string, isOn: (day: number) => boolean): number {
  const wall = at + offsetAt(zone, at)
  for (let day = wall - (wall % DAY); ; day += DAY) {
    const instant = instantAt(zone, day + parseLocalTime(time))
    if (instant > at && isOn(day)) return instant
  }
}
