/** What clocks show in a time zone, and the moment when they show something. */

/** As on a wall: nothing says in which zone it hangs. Months count from 1. */
export interface WallTime {
  year: number
  month: number
  day: number
  hour: number
  minute: number
}

const formats = new Map<string, Intl.DateTimeFormat>()

function formatFor(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone)
  if (format === undefined) {
    const numeric = 'numeric' as const
    const fields = { year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric }
    format = new Intl.DateTimeFormat('en', {
      ...fields,
      timeZone: zone,
      hourCycle: 'h23',
      calendar: 'iso8601',
      numberingSystem: 'latn',
    })
    formats.set(zone, format)
  }
  return format
}

export function wallTimeAt(moment: number, zone: string): WallTime {
  const parts = formatFor(zone).formatToParts(moment)
  const of = (type: string): number => Number(parts.find(part => part.type === type)!.value)
  return { year: of('year'), month: of('month'), day: of('day'), hour: of('hour'), minute: of('minute') }
}

/** As if the clock hung in Greenwich. Days and hours may be out of range: the 32nd is the 1st of the next month. */
const asUtc = ({ year, month, day, hour, minute }: WallTime): number =>
  Date.UTC(year, month - 1, day, hour, minute)

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

/**
 * When clocks show this. What they show twice, as they are put back, is the first time; what they skip, as they are put
 * forward, is as much later as they skip.
 */
export function momentOf(wall: WallTime, zone: string): number {
  const utc = asUtc(wall)
  const [earlier, later] = [utc - offsetAt(utc - DAY_MS, zone), utc - offsetAt(utc + DAY_MS, zone)] as const
  const shown = [earlier, later].filter(moment => asUtc(wallTimeAt(moment, zone)) === utc)
  return shown.length === 0 ? earlier : Math.min(...shown)
}

function offsetAt(moment: number, zone: string): number {
  return asUtc(wallTimeAt(moment, zone)) - Math.floor(moment / MINUTE_MS) * MINUTE_MS
}

/** As <input type="datetime-local"> has it. */
export function toField(wall: WallTime): string {
  return new Date(asUtc(wall)).toISOString().slice(0, 16)
}

/** Undefined for what is no date and time. */
export function fromField(value: string): WallTime | undefined {
  const utc = new Date(`${value}Z`)
  if (value === '' || Number.isNaN(utc.getTime())) return undefined
  return wallTimeAt(utc.getTime(), 'UTC')
}
