/** Days and hours as a person's clock shows them. Pure: zone and instant in, local time out; daylight saving included. */

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

export interface QuietRange {
  /** Milliseconds after midnight, by the clock on the wall. */
  start: number
  /** Up to a whole day. */
  end: number
  /** Whether it starts on that day of the week, Sunday first; every day unless given. */
  days?: boolean[]
}

/** The calendar day there, such as 2026-03-29. */
export function localDay(zone: string, at: number): string {
  return new Date(at + offsetAt(zone, at)).toISOString().slice(0, 10)
}

/** What the clock on the wall shows, in milliseconds after midnight. */
export function wallClock(zone: string, at: number): number {
  return modulo(at + offsetAt(zone, at), DAY)
}

/**
 * When the clock there shows a time, given as milliseconds of a day in UTC. Of one that it shows twice, the first; one
 * that it skips comes as much later as the change is wide. PostgreSQL's local_time() takes the same steps; a table of
 * cases runs through both.
 */
export function instantAt(zone: string, wall: number): number {
  const instants = [wall - DAY, wall + DAY].map(near => wall - offsetAt(zone, near)).sort((a, b) => a - b)
  return instants.find(at => at + offsetAt(zone, at) === wall) ?? instants.at(-1)!
}

/** Like instantAt(), but what the clock skips is when it jumps. */
export function instantOrJump(zone: string, wall: number): number {
  const at = instantAt(zone, wall)
  const isSkipped = at + offsetAt(zone, at) !== wall
  // Both offsets lie less than a change apart, so the clock jumped within as much before.
  return isSkipped ? changeBetween(zone, wall - offsetAt(zone, at), at) : at
}

/** The end counts no more. A range whose start is later than its end goes on after midnight. */
function isWithin({ start, end, days }: QuietRange, wall: number, weekday: number): boolean {
  const startsOn = (day: number) => days === undefined || days[day]!
  if (start < end) return wall >= start && wall < end && startsOn(weekday)
  if (start === end) return false
  return wall >= start ? startsOn(weekday) : wall < end && startsOn((weekday + 6) % 7)
}

/** Whoever leaves no time in the week is asked again after this long. */
const LONGEST_QUIET = 15 * DAY

/**
 * The first instant from `at` on at which the clock there shows a time outside all ranges; undefined when it does so
 * already. A clock that is put forward over the end ends a range at that moment; one that is put back into it goes on
 * being quiet.
 */
export function quietUntil(ranges: QuietRange[], zone: string, at: number): number | undefined {
  let from = at
  while (from - at < LONGEST_QUIET) {
    const local = from + offsetAt(zone, from)
    const wall = modulo(local, DAY)
    // The first of January 1970 was a Thursday.
    const weekday = modulo(Math.floor(local / DAY) + 4, 7)
    const range = ranges.find(each => isWithin(each, wall, weekday))
    if (range === undefined) break
    const end = from + (range.end > wall ? range.end - wall : range.end - wall + DAY)
    from = offsetAt(zone, from) === offsetAt(zone, end) ? end : Math.min(end, changeBetween(zone, from, end))
  }
  return from === at ? undefined : from
}

/** 22:00 or 22:00:00 → milliseconds after midnight; 24:00 is a whole day. */
export function parseLocalTime(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number)
  return (hours * 60 + minutes) * MINUTE
}

/** When the clocks change between two instants of different offset. Clocks change on the minute. */
function changeBetween(zone: string, from: number, to: number): number {
  const before = offsetAt(zone, from)
  let [low, high] = [Math.floor(from / MINUTE), Math.ceil(to / MINUTE)]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(zone, middle * MINUTE) === before) low = middle
    else high = middle
  }
  return high * MINUTE
}

interface Known {
  name: string
  format: Intl.DateTimeFormat
  /** The last minute asked for, which a batch of routes shares. */
  minute: number
  offset: number
}

const zones = new Map<string, Known>()

/** How far the clock there is ahead of UTC. */
export function offsetAt(zone: string, at: number): number {
  const known = zones.get(zone) ?? rememberZone(zone)
  const minute = Math.floor(at / MINUTE)
  if (known.minute !== minute) {
    known.offset = readOffset(known.format, minute * MINUTE)
    known.minute = minute
  }
  return known.offset
}

/** One to ask about many moments of a zone that is not asked about again; what offsetAt() remembers takes memory. */
export function createOffsetReader(zone: string): (at: number) => number {
  const format = formatOf(zone)
  return at => readOffset(format, at)
}

/** The zone itself, or UTC when this runtime does not know it. */
export function knownZone(zone: string): string {
  return (zones.get(zone) ?? rememberZone(zone)).name
}

function rememberZone(zone: string): Known {
  const name = findKnown(zone)
  const known = { name, format: formatOf(name), minute: Number.NaN, offset: 0 }
  zones.set(zone, known)
  return known
}

/** Zones are checked when they are stored; one that this runtime no longer knows must not stop a message. */
function findKnown(zone: string): string {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: zone }) && zone
  } catch {
    return 'UTC'
  }
}

function formatOf(zone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
}

function readOffset(format: Intl.DateTimeFormat, at: number): number {
  // "3 29, 2026, 03:00:00" in whatever punctuation: month, day, year, hour, minute, second.
  const [month, day, year, hour, minute, second] = format.format(at).match(/\d+/g)!.map(Number)
  return Date.UTC(year!, month! - 1, day, hour, minute, second) - at
}

const modulo = (value: number, by: number): number => ((value % by) + by) % by
