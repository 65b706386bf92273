import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { localDay, offsetAt, parseLocalTime, quietUntil, wallClock } from './local-time.ts'

const ZONES = Intl.supportedValuesOf('timeZone')
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const at = (iso: string) => Date.parse(iso)
const hours = (start: string, end: string) => ({ start: parseLocalTime(start), end: parseLocalTime(end) })

/** Another way to the same: what Intl itself prints, asked anew each time. */
function printed(zone: string, instant: number): { day: string; time: string } {
  const text = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'medium',
  }).format(instant)
  return { day: text.slice(0, 10), time: text.slice(11) }
}

/** The instants of a year at which the clocks of a zone change. */
function changesOf(zone: string, year: number): number[] {
  const changes: number[] = []
  for (let hour = Date.UTC(year, 0, 1); hour < Date.UTC(year + 1, 0, 1); hour += 6 * HOUR) {
    if (offsetAt(zone, hour) === offsetAt(zone, hour + 6 * HOUR)) continue
    let minute = hour
    while (offsetAt(zone, minute) === offsetAt(zone, minute + MINUTE)) minute += MINUTE
    changes.push(minute + MINUTE)
  }
  return changes
}

function isBetween({ start, end }: { start: number; end: number }, wall: number): boolean {
  return start < end ? wall >= start && wall < end : start > end && (wall >= start || wall < end)
}

function expectExactEnd(zone: string, range: { start: number; end: number }, instant: number): void {
  const until = quietUntil([range], zone, instant)
  const isQuiet = (when: number) => isBetween(range, wallClock(zone, when))
  const said = `${zone} ${new Date(instant).toISOString()} ${range.start / HOUR}-${range.end / HOUR}`
  if (until === undefined) {
    expect([said, isQuiet(instant)]).toEqual([said, false])
    return
  }
  expect([said, isQuiet(until), isQuiet(until - 1), until - instant <= DAY + 3 * HOUR]).toEqual([
    said,
    false,
    true,
    true,
  ])
  // Clocks change on the quarter hour, so nothing can happen between two samples.
  for (let sample = instant; sample < until; sample += 15 * MINUTE) {
    if (!isQuiet(sample)) expect(`${said} is quiet at ${new Date(sample).toISOString()}`).toBe('')
  }
}

describe('the local day', () => {
  it.each([
    ['Pacific/Kiritimati', '2026-03-01T09:59:59Z', '2026-03-01'],
    ['Pacific/Kiritimati', '2026-03-01T10:00:00Z', '2026-03-02'],
    ['America/Los_Angeles', '2026-03-01T07:59:59Z', '2026-02-28'],
    ['Asia/Kathmandu', '2026-02-28T18:15:00Z', '2026-03-01'],
    ['Europe/Berlin', '2026-03-29T21:59:59Z', '2026-03-29'],
    ['Europe/Berlin', '2026-03-29T22:00:00Z', '2026-03-30'],
  ])('in %s at %s is %s', { tags: 'S002-19' }, (zone, instant, day) => {
    expect(localDay(zone, at(instant))).toBe(day)
  })

  it('day and clock of every IANA zone are what Intl prints, around every change of clocks', {
    tags: ['S002-19', 'S002-20'],
  }, () => {
    expect(ZONES.length).toBeGreaterThan(400)
    for (const zone of ZONES) {
      const ordinary = [at('2026-01-15T11:37:12Z'), at('2026-07-15T23:59:59Z')]
      const changes = changesOf(zone, 2026).flatMap(change => [change - 1000, change, change + HOUR])
      for (const instant of [...ordinary, ...changes]) {
        const { day, time } = printed(zone, instant)
        expect([zone, localDay(zone, instant)]).toEqual([zone, day])
        const wall = new Date(wallClock(zone, instant)).toISOString().slice(11, 19)
        expect([zone, instant, wall]).toEqual([zone, instant, time])
      }
    }
  })
})

describe('quiet hours', () => {
  it.each([
    ['inside, before midnight', '22:00', '08:00', '2026-01-10T22:30:00Z', '2026-01-11T08:00:00.000Z'],
    ['inside, after midnight', '22:00', '08:00', '2026-01-10T07:59:59.999Z', '2026-01-10T08:00:00.000Z'],
    ['at the start', '22:00', '08:00', '2026-01-10T22:00:00Z', '2026-01-11T08:00:00.000Z'],
    ['at the end, which counts no more', '22:00', '08:00', '2026-01-10T08:00:00Z', undefined],
    ['outside', '22:00', '08:00', '2026-01-10T12:00:00Z', undefined],
    ['within one day', '12:00', '14:00', '2026-01-10T13:00:00Z', '2026-01-10T14:00:00.000Z'],
    ['start = end', '10:00', '10:00', '2026-01-10T10:00:00Z', undefined],
    ['until midnight', '20:00', '00:00', '2026-01-10T23:59:00Z', '2026-01-11T00:00:00.000Z'],
  ])('%s', { tags: 'S002-20' }, (_name, start, end, instant, until) => {
    const found = quietUntil([hours(start, end)], 'UTC', at(instant))
    expect(found === undefined ? undefined : new Date(found).toISOString()).toBe(until)
  })

  it.each([
    // 2026-03-29 02:00 → 03:00 in Berlin, 2026-10-25 03:00 → 02:00.
    ['the night is an hour shorter', '22:00', '08:00', '2026-03-28T22:00:00Z', '2026-03-29T06:00:00.000Z'],
    ['the night is an hour longer', '22:00', '08:00', '2026-10-24T21:00:00Z', '2026-10-25T07:00:00.000Z'],
    ['the end does not exist that day', '22:00', '02:30', '2026-03-29T00:30:00Z', '2026-03-29T01:00:00.000Z'],
    ['the end comes twice: the first', '22:00', '02:30', '2026-10-24T23:30:00Z', '2026-10-25T00:30:00.000Z'],
    [
      'and quiet again, until the second',
      '22:00',
      '02:30',
      '2026-10-25T01:10:00Z',
      '2026-10-25T01:30:00.000Z',
    ],
    ['the clock is put back into them', '02:00', '02:59', '2026-10-25T01:00:00Z', '2026-10-25T01:59:00.000Z'],
  ])('when clocks change in Berlin: %s', { tags: 'S002-20' }, (_name, start, end, instant, until) => {
    expect(new Date(quietUntil([hours(start, end)], 'Europe/Berlin', at(instant))!).toISOString()).toBe(until)
  })

  it('end at the very first moment outside, in every IANA zone and around every change of clocks', {
    tags: 'S002-20',
  }, () => {
    const minuteOfDay = fc.integer({ min: 0, max: 1439 }).map(minute => minute * MINUTE)
    const cases = fc.sample(
      fc.record({ start: minuteOfDay, end: minuteOfDay, shift: fc.integer({ min: -30, max: 6 }) }),
      { numRuns: 6, seed: 20261115 },
    )
    let changes = 0
    for (const zone of ZONES) {
      const dates = changesOf(zone, 2026)
      changes += dates.length
      for (const { start, end, shift } of cases) {
        for (const date of [...dates, at('2026-05-05T05:05:05Z')])
          expectExactEnd(zone, { start, end }, date + shift * HOUR)
      }
    }
    expect(changes).toBeGreaterThan(150)
  })

  it('hold for any zone, hours and instant of twenty years', { tags: 'S002-20' }, () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        fc.integer({ min: 0, max: 1439 }),
        fc.integer({ min: 0, max: 1439 }),
        fc.integer({ min: at('2020-01-01T00:00:00Z'), max: at('2040-01-01T00:00:00Z') }),
        (zone, start, end, instant) =>
          expectExactEnd(zone, { start: start * MINUTE, end: end * MINUTE }, instant),
      ),
      { numRuns: 3000, seed: 20261115 },
    )
  })

  it('a zone this runtime does not know is taken as UTC, so that no message is stuck', () => {
    expect(localDay('Mars/Olympus', at('2026-01-01T23:59:59Z'))).toBe('2026-01-01')
  })
})
