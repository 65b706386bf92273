/** What clocks on walls show, by the machine's own time zone data: for tests that compare. */

export const ZONES = Intl.supportedValuesOf('timeZone')
const HOUR = 3_600_000

const formats = new Map<string, Intl.DateTimeFormat>()

/** 2026-12-24T09:00 as it stands on the wall of the zone at that moment. */
export function wallTime(at: Date, zone: string): string {
  let format = formats.get(zone)
  if (format === undefined) {
    // The Swedish way to write a date is nearly ISO.
    format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' })
    formats.set(zone, format)
  }
  return format.format(at).replace(' ', 'T')
}

/** Minutes the wall is ahead of UTC. */
function offsetMinutes(at: Date, zone: string): number {
  return (Date.parse(`${wallTime(at, zone)}Z`) - Math.floor(at.getTime() / 60_000) * 60_000) / 60_000
}

export interface ClockChange {
  zone: string
  /** The first minute of the new offset. */
  at: Date
  /** What the wall would have shown, and what it shows. */
  before: string
  after: string
}

/** Every change of every zone's clock within the year. */
export function clockChanges(year: number): ClockChange[] {
  return ZONES.flatMap(zone => {
    const changes: ClockChange[] = []
    for (let day = Date.UTC(year, 0, 1); day < Date.UTC(year + 1, 0, 1); day += 24 * HOUR) {
      const [from, to] = [offsetMinutes(new Date(day), zone), offsetMinutes(new Date(day + 24 * HOUR), zone)]
      if (from === to) continue
      let [low, high] = [day / 60_000, day / 60_000 + 24 * 60]
      while (high - low > 1) {
        const middle = Math.floor((low + high) / 2)
        if (offsetMinutes(new Date(middle * 60_000), zone) === from) low = middle
        else high = middle
      }
      const at = new Date(high * 60_000)
      const shown = (offset: number) => new Date(at.getTime() + offset * 60_000).toISOString().slice(0, 16)
      changes.push({ zone, at, before: shown(from), after: shown(to) })
    }
    return changes
  })
}

export const laterBy = (wall: string, minutes: number): string =>
  new Date(Date.parse(`${wall}Z`) + minutes * 60_000).toISOString().slice(0, 16)

export interface WallTimeCase {
  zone: string
  wall: string
  /** When it is that time there. */
  at: Date
}

/**
 * Before, at the borders of, within and after every change of every zone's clock in those years. What a change skips comes
 * as much later; of what it repeats, the first is meant.
 */
export function wallTimeCases(years: number[]): WallTimeCase[] {
  return years.flatMap(clockChanges).flatMap(({ zone, at, before, after }) => {
    const width = minutesBetween(before, after)
    const [first, last] = width > 0 ? [before, after] : [after, before]
    const walls = [
      laterBy(first, -600),
      laterBy(first, -1),
      first,
      laterBy(first, Math.floor(Math.abs(width) / 2)),
      laterBy(last, -1),
      last,
      laterBy(last, 600),
    ]
    // Until the later of the two the old offset counts, and what it leads to is either the first or as much later.
    return walls.map(wall => {
      const minutes = minutesBetween(wall < last ? before : after, wall)
      return { zone, wall, at: new Date(at.getTime() + minutes * 60_000) }
    })
  })
}

const minutesBetween = (from: string, to: string): number =>
  (Date.parse(`${to}Z`) - Date.parse(`${from}Z`)) / 60_000
