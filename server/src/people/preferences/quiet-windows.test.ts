/** Several windows on some days, compared minute by minute with what a calendar and the clock on the wall say. */
import { type QuietWindow, WEEKDAYS } from '@carillon/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { quietUntil } from '../../platform/time/local-time.ts'
import { clockChanges, wallTime, ZONES } from '../../platform/time/wall-clock.fixture.ts'
import { quietWindows, toRange, toStored } from './quiet-windows.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const MAX_DAYS = 9

const dayAfter = (date: string, days: number) =>
  new Date(Date.parse(date) + days * DAY).toISOString().slice(0, 10)
const weekdayOf = (date: string) => WEEKDAYS[new Date(date).getUTCDay()]!

/** By texts such as 2026-03-29T02:30 alone: none of the arithmetic under test. */
function isQuiet(windows: QuietWindow[], wall: string): boolean {
  const date = wall.slice(0, 10)
  return windows.some(({ start, end, days }) =>
    [date, dayAfter(date, -1)].some(first => {
      if (start === end || (days !== undefined && !days.includes(weekdayOf(first)))) return false
      const last = start < end ? first : dayAfter(first, 1)
      return `${first}T${start}` <= wall && wall < `${last}T${end}`
    }),
  )
}

/** The first minute that is not quiet; null if there is none within days. */
function walk(windows: QuietWindow[], zone: string, at: number): number | undefined | null {
  if (!isQuiet(windows, wallTime(new Date(at), zone))) return undefined
  const first = Math.floor(at / MINUTE) + 1
  for (let minute = first; minute < first + MAX_DAYS * 1440; minute++)
    if (!isQuiet(windows, wallTime(new Date(minute * MINUTE), zone))) return minute * MINUTE
  return null
}

const until = (windows: QuietWindow[], zone: string, at: number) => quietUntil(windows.map(toRange), zone, at)

function expectAsWalked(windows: QuietWindow[], zone: string, at: number): boolean {
  const walked = walk(windows, zone, at)
  if (walked === null) return false
  const said = JSON.stringify([windows, zone, new Date(at).toISOString()])
  expect([said, until(windows, zone, at)]).toEqual([said, walked])
  return walked !== undefined
}

const text = (minute: number) => new Date(minute * MINUTE).toISOString().slice(11, 16)
const window = fc
  .record({
    start: fc.integer({ min: 0, max: 1439 }).map(text),
    end: fc.oneof(fc.integer({ min: 0, max: 1439 }).map(text), fc.constantFrom('24:00', '00:00', '02:30')),
    days: fc.option(fc.uniqueArray(fc.constantFrom(...WEEKDAYS), { minLength: 1, maxLength: 5 }), {
      nil: undefined,
    }),
  })
  .map(({ days, ...times }): QuietWindow => (days === undefined ? times : { ...times, days }))
const windows = fc.array(window, { minLength: 1, maxLength: 4 })

describe('quiet windows', () => {
  const WEEKEND: QuietWindow = { start: '00:00', end: '24:00', days: ['saturday', 'sunday'] }
  const NIGHT: QuietWindow = { start: '22:00', end: '08:00' }
  const BERLIN = 'Europe/Berlin'
  // 2026-05-08 is a Friday.
  it.each<[string, string | undefined, QuietWindow[], string]>([
    ['a whole weekend', '2026-05-10T22:00:00.000Z', [WEEKEND], '2026-05-09T00:00:00Z'],
    ['a weekend between two nights', '2026-05-11T06:00:00.000Z', [NIGHT, WEEKEND], '2026-05-08T21:00:00Z'],
    [
      'a window on the day on which the night began',
      '2026-05-09T06:00:00.000Z',
      [{ ...NIGHT, days: ['friday'] }],
      '2026-05-09T03:00:00Z',
    ],
    [
      'a window on the day on which the night ends',
      undefined,
      [{ ...NIGHT, days: ['saturday'] }],
      '2026-05-09T03:00:00Z',
    ],
    [
      'windows that touch',
      '2026-05-08T12:00:00.000Z',
      [
        { start: '12:00', end: '13:00' },
        { start: '13:00', end: '14:00' },
      ],
      '2026-05-08T10:30:00Z',
    ],
    [
      'a window until midnight',
      '2026-05-08T22:00:00.000Z',
      [{ start: '20:00', end: '24:00' }],
      '2026-05-08T19:00:00Z',
    ],
    ['no window', undefined, [], '2026-05-08T19:00:00Z'],
  ])('with %s, quiet time ends at %s', { tags: 'S002-20' }, (_name, ends, windows, at) => {
    const found = until(windows, BERLIN, Date.parse(at))
    expect(found === undefined ? undefined : new Date(found).toISOString()).toBe(ends)
  })

  it('quiet windows end where a walk by the minute ends, around the clock changes of every zone', {
    tags: 'S002-20',
    timeout: 60_000,
  }, () => {
    const changes = clockChanges(2026)
    expect(changes.length).toBeGreaterThan(150)
    const samples = fc.sample(fc.tuple(windows, fc.integer({ min: -2000, max: 1500 })), {
      numRuns: changes.length,
      seed: 20261116,
    })
    const waits = changes.filter(({ zone, at }, i) => {
      const [drawn, minutes] = samples[i]!
      return expectAsWalked(drawn, zone, at.getTime() + minutes * MINUTE + 500)
    })
    expect(waits.length).toBeGreaterThan(50)
  })

  it('quiet windows end where a walk by the minute ends, at any time of twenty years in any zone', {
    tags: 'S002-20',
    timeout: 60_000,
  }, () => {
    fc.assert(
      fc.property(
        windows,
        fc.constantFrom(...ZONES),
        fc.integer({ min: Date.parse('2020-01-01'), max: Date.parse('2040-01-01') }),
        (drawn, zone, at) => {
          expectAsWalked(drawn, zone, at)
        },
      ),
      { numRuns: 200, seed: 20261116 },
    )
  })

  it('windows that leave no time of the week are asked again in two weeks', () => {
    const at = Date.parse('2026-05-08T19:00:00Z')
    const ends = until([{ start: '00:00', end: '24:00' }], 'UTC', at)!
    expect((ends - at) / DAY).toBeGreaterThan(14)
    expect((ends - at) / DAY).toBeLessThan(17)
  })

  it('quiet windows read as they were written', () => {
    fc.assert(
      fc.property(windows, drawn => {
        expect(quietWindows(toStored(drawn))).toEqual(drawn.filter(({ start, end }) => start !== end))
      }),
      { seed: 20261116 },
    )
    expect([quietWindows(toStored(null)), quietWindows(toStored([]))]).toEqual([null, []])
  })

  it('are stored as one window of every day, or as a list', () => {
    const daily = { quiet_hours_start: '22:00', quiet_hours_end: '08:00', quiet_windows: null }
    expect(toStored([NIGHT])).toEqual(daily)
    const none = { quiet_hours_start: null, quiet_hours_end: null }
    for (const list of [[WEEKEND], [WEEKEND, NIGHT]])
      expect(toStored(list)).toEqual({ ...none, quiet_windows: list })
  })
})
