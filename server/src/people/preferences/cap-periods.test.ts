/** Periods of caps, compared minute by minute with what the calendar and the clock on the wall say. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { clockChanges, wallTime, ZONES } from '../../platform/time/wall-clock.fixture.ts'
import { periodEnd, periodOf, periodStart } from './cap-periods.ts'

const MINUTE = 60_000
const PERS = ['hour', 'day', 'week'] as const
type Per = (typeof PERS)[number]
const at = (iso: string) => Date.parse(iso)

/** What must be the same all through a period: the hour, day or week on the wall. */
function shown(per: Per, zone: string, instant: number): string {
  const wall = wallTime(new Date(instant), zone)
  if (per === 'hour') return wall.slice(0, 13)
  if (per === 'day') return wall.slice(0, 10)
  // The Thursday of a week tells which one it is, as in ISO 8601.
  const day = Date.parse(wall.slice(0, 10))
  return new Date(day + (4 - (new Date(day).getUTCDay() || 7)) * 86_400_000).toISOString().slice(0, 10)
}

function expectWhole(per: Per, zone: string, instant: number): void {
  const [start, end] = [periodStart(per, zone, instant), periodEnd(per, zone, instant)]
  const said = `${per} ${zone} ${new Date(instant).toISOString()}`
  const name = (when: number) => periodOf({ per }, zone, when).period
  expect([said, start <= instant, instant < end]).toEqual([said, true, true])
  expect([said, shown(per, zone, end) === shown(per, zone, instant), name(end) === name(instant)]).toEqual([
    said,
    false,
    false,
  ])
  expect([said, name(start - 1) === name(instant)]).toEqual([said, false])
  const step = per === 'hour' ? MINUTE : per === 'day' ? 15 * MINUTE : 4 * 60 * MINUTE
  let sample = start
  while (sample < end && name(sample) === name(instant)) sample += step
  expect([said, sample < end]).toEqual([said, false])
}

it.each<[Per, string, string, string, string]>([
  ['hour', 'Asia/Kathmandu', '2026-05-05T12:20:00Z', '2026-05-05T13:15:00.000Z', '2026-05-05T13:15:00.000Z'],
  ['day', 'Europe/Berlin', '2026-03-29T12:00:00Z', '2026-03-29', '2026-03-29T22:00:00.000Z'],
  ['week', 'Europe/Berlin', '2026-03-29T12:00:00Z', '2026-03-23', '2026-03-29T22:00:00.000Z'],
  ['week', 'UTC', '2026-03-30T00:00:00Z', '2026-03-30', '2026-04-06T00:00:00.000Z'],
  // 02:00 to 03:00 comes twice in Berlin.
  ['hour', 'Europe/Berlin', '2026-10-25T00:30:00Z', '2026-10-25T01:00:00.000Z', '2026-10-25T01:00:00.000Z'],
  ['hour', 'Europe/Berlin', '2026-10-25T01:30:00Z', '2026-10-25T02:00:00.000Z', '2026-10-25T02:00:00.000Z'],
])('the %s in %s at %s is named %s and ends at %s', (per, zone, instant, period, end) => {
  expect(periodOf({ per }, zone, at(instant))).toEqual({ per, category: '', period })
  expect(new Date(periodEnd(per, zone, at(instant))).toISOString()).toBe(end)
})

it('a period is the same from its start to its end, at any time in any zone', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...PERS),
      fc.constantFrom(...ZONES),
      fc.integer({ min: at('2024-01-01T00:00:00Z'), max: at('2036-01-01T00:00:00Z') }),
      expectWhole,
    ),
    { numRuns: 300, seed: 20261116 },
  )
})

it('clock changes make a period longer or shorter, and leave no gap', () => {
  for (const { zone, at: change } of clockChanges(2026))
    for (const minutes of [-700, -1, 0, 61])
      for (const per of ['day', 'week'] as const) expectWhole(per, zone, change.getTime() + minutes * MINUTE)
})

it('an hour is longer where clocks change by half of one', () => {
  // In Lord Howe 02:00 becomes 01:30: from 01:00 on, the next full hour is ninety minutes away.
  const [start, end] = [at('2026-04-04T14:00:00Z'), at('2026-04-04T15:30:00Z')]
  for (const instant of [start, start + 20 * MINUTE, start + 40 * MINUTE, end - 1])
    expect(periodStart('hour', 'Australia/Lord_Howe', instant)).toBe(start)
  expect(periodStart('hour', 'Australia/Lord_Howe', end)).toBe(end)
})
