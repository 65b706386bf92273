import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type ClockChange,
  clockChanges,
  laterBy,
  wallTime,
  ZONES,
} from '../../platform/time/wall-clock.fixture.ts'
import { checkCron, localTime, nextRun, nextRuns } from './next-runs.ts'

const DAY_MS = 86_400_000
const CHANGES = clockChanges(2026)
const isWithin = (wall: string, { before, after }: ClockChange) => before <= wall && wall < after

describe('a daily schedule, in every zone', () => {
  it('runs once on each day around a clock change, at its time or when the clock has jumped', () => {
    const minutes = fc.integer({ min: -90, max: 90 })
    fc.assert(
      fc.property(fc.constantFrom(...CHANGES), minutes, (change, shift) => {
        const { zone, at } = change
        // A time near the change, as the clock showed it before.
        const time = laterBy(change.before, shift).slice(11)
        const skipped = `${change.before.slice(0, 10)}T${time}`
        fc.pre(!isWithin(skipped, change) || skipped.slice(0, 10) === change.after.slice(0, 10))
        const [hour, minute] = time.split(':').map(Number)
        const from = new Date(at.getTime() - 3 * DAY_MS)
        const runs = nextRuns(`${minute} ${hour} * * *`, zone, from, 6)
        const walls = runs.map(run => wallTime(run, zone))
        expect(new Set(walls.map(wall => wall.slice(0, 10))).size).toBe(6)
        expect(walls.at(-1)!.slice(0, 10)).toBe(laterBy(walls[0]!, 5 * 24 * 60).slice(0, 10))
        for (const wall of walls) {
          const asked = `${wall.slice(0, 10)}T${time}`
          expect([zone, asked, wall]).toEqual([zone, asked, isWithin(asked, change) ? change.after : asked])
        }
      }),
      { numRuns: 2000 },
    )
  })

  it('runs at midnight where the clock of Greenland skips the last hour of a day', () => {
    const runs = nextRuns('30 23 * * *', 'America/Nuuk', new Date('2026-03-27T12:00:00Z'), 3)
    const walls = runs.map(run => wallTime(run, 'America/Nuuk'))
    expect(walls).toEqual(['2026-03-27T23:30', '2026-03-29T00:00', '2026-03-29T23:30'])
  })

  it('runs next after the given moment, and not once in between', () => {
    const moment = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) })
    const hour = fc.integer({ min: 0, max: 23 })
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), moment, hour, (zone, from, at) => {
        const cron = `15 ${at} * * *`
        const next = nextRun(cron, zone, new Date(from))!
        expect(next.getTime()).toBeGreaterThan(from)
        expect(next.getTime() - from).toBeLessThanOrEqual(2 * DAY_MS)
        expect(nextRun(cron, zone, new Date(next.getTime() - 1))).toEqual(next)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('a schedule with a list of hours, in every zone', () => {
  it('runs for every hour of the list on every day: none is lost in a gap, none comes twice in an overlap', () => {
    const lists = fc.uniqueArray(fc.integer({ min: 0, max: 23 }), { minLength: 2, maxLength: 23 })
    const minute = fc.integer({ min: 0, max: 59 })
    fc.assert(
      fc.property(
        fc.constantFrom(...CHANGES),
        lists,
        minute,
        ({ zone, at, before, after }, hours, minute) => {
          const from = new Date(at.getTime() - 2 * DAY_MS)
          const until = new Date(at.getTime() + 2 * DAY_MS)
          const runs = nextRuns(`${minute} ${hours.join(',')} * * *`, zone, from, 100).filter(
            run => run <= until,
          )
          // Another way to the same: every wall time of the list, moved to the jump if it is skipped, and none twice.
          const two = (n: number) => String(n).padStart(2, '0')
          const expected = new Set<string>()
          const [first, last] = [wallTime(from, zone), wallTime(until, zone)]
          for (let day = first; day.slice(0, 10) <= last.slice(0, 10); day = laterBy(day, 24 * 60))
            for (const hour of hours) {
              const wall = `${day.slice(0, 10)}T${two(hour)}:${two(minute)}`
              if (wall <= first || wall > last) continue
              expected.add(before <= wall && wall < after ? after : wall)
            }
          const walls = runs.map(run => wallTime(run, zone))
          expect([zone, walls]).toEqual([zone, [...expected].sort()])
        },
      ),
      { numRuns: 200 },
    )
  })

  it.each([
    ['30 2,3 * * *', '2026-03-28T12:00:00Z', ['03:00', '03:30', '02:30']],
    ['0 1-4 * * *', '2026-03-28T12:00:00Z', ['01:00', '03:00', '04:00']],
    ['30 2,3 * * *', '2026-10-24T12:00:00Z', ['02:30', '03:30', '02:30']],
    ['0 */2 * * *', '2026-10-24T23:00:00Z', ['02:00', '04:00', '06:00']],
  ])('%s after %s runs at %j in Berlin', (cron, after, expected) => {
    const walls = nextRuns(cron, 'Europe/Berlin', new Date(after), 3).map(run =>
      wallTime(run, 'Europe/Berlin'),
    )
    expect(walls.map(wall => wall.slice(11))).toEqual(expected)
  })
})

describe('an expression', () => {
  const from = new Date('2026-10-24T12:00:00Z')
  const runs = (cron: string, zone = 'Europe/Berlin') =>
    nextRuns(cron, zone, from, 3).map(at => localTime(at, zone))

  it.each([
    ['30 2 * * *', ['2026-10-25T02:30:00+02:00', '2026-10-26T02:30:00+01:00', '2026-10-27T02:30:00+01:00']],
    ['0 9 * * MON', ['2026-10-26T09:00:00+01:00', '2026-11-02T09:00:00+01:00', '2026-11-09T09:00:00+01:00']],
    ['0 0 L * *', ['2026-10-31T00:00:00+01:00', '2026-11-30T00:00:00+01:00', '2026-12-31T00:00:00+01:00']],
    ['@daily', ['2026-10-25T00:00:00+02:00', '2026-10-26T00:00:00+01:00', '2026-10-27T00:00:00+01:00']],
  ])('%s runs at %j', (cron, expected) => expect(runs(cron)).toEqual(expected))

  it('that says every hour runs through a repeated hour without a pause', () => {
    const walls = nextRuns('0 * * * *', 'Europe/Berlin', new Date('2026-10-24T23:30:00Z'), 4)
    expect(walls.map(at => at.toISOString().slice(11, 16))).toEqual(['00:00', '01:00', '02:00', '03:00'])
  })

  it.each([
    ['61 * * * *', /minute/],
    ['* * * *', /five/],
    ['* * * * * *', /5 parts/],
    ['2030-01-01T00:00:00', /five parts/],
    ['0 0 30 2 *', /never matches/],
    ['often', /parts/],
  ])('%s is refused with a reason', (cron, reason) =>
    expect(() => checkCron(cron, 'UTC', from)).toThrow(reason),
  )

  it('is previewed with the offset of its zone', () => {
    const at = new Date('2026-07-01T00:00:00Z')
    const zones = ['Asia/Kolkata', 'America/St_Johns', 'UTC']
    expect(zones.map(zone => localTime(at, zone))).toEqual([
      '2026-07-01T05:30:00+05:30',
      '2026-06-30T21:30:00-02:30',
      '2026-07-01T00:00:00+00:00',
    ])
  })
})
