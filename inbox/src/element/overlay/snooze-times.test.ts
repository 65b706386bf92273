import { describe, expect, it } from 'vitest'
import { snoozeTimes } from './snooze-times.ts'

const timesAt = (now: string, zone: string) =>
  Object.fromEntries(
    snoozeTimes(Date.parse(now), zone).map(({ name, until }) => [name, until.toISOString().slice(0, 16)]),
  )

it.each([
  ['in the morning', '2026-11-18T08:00:00Z', '2026-11-18T17:00'],
  ['an hour before', '2026-11-18T16:00:00Z', '2026-11-18T17:00'],
  ['less than an hour before', '2026-11-18T16:00:01Z', '2026-11-18T20:00'],
  ['at night', '2026-11-18T20:30:00Z', undefined],
  ['after midnight', '2026-11-18T23:30:00Z', '2026-11-19T17:00'],
])('later today, %s', (_, now, later) => {
  expect(timesAt(now, 'Europe/Berlin').laterToday).toBe(later)
})

it.each([
  ['Wednesday', '2026-11-18T12:00:00Z', '2026-11-23T08:00'],
  ['Sunday', '2026-11-22T12:00:00Z', '2026-11-23T08:00'],
  ['Monday', '2026-11-23T12:00:00Z', '2026-11-30T08:00'],
  ['Sunday here, Monday there', '2026-11-22T23:30:00Z', '2026-11-30T08:00'],
])('next week is the next Monday, seen from %s', (_, now, monday) => {
  expect(timesAt(now, 'Europe/Berlin').nextWeek).toBe(monday)
})

describe('when clocks change', () => {
  it('tomorrow is nine o’clock there, 23 or 25 hours after today’s', () => {
    expect(timesAt('2026-03-28T12:00:00Z', 'Europe/Berlin').tomorrow).toBe('2026-03-29T07:00')
    expect(timesAt('2026-10-24T12:00:00Z', 'Europe/Berlin').tomorrow).toBe('2026-10-25T08:00')
  })

  it('later today too', () => {
    expect(timesAt('2026-03-28T23:30:00Z', 'Europe/Berlin').laterToday).toBe('2026-03-29T16:00')
    expect(timesAt('2026-11-01T04:30:00Z', 'America/New_York').laterToday).toBe('2026-11-01T23:00')
  })

  it('the last day of a month leads into the next', () => {
    expect(timesAt('2026-12-31T12:00:00Z', 'Asia/Tokyo').tomorrow).toBe('2027-01-01T00:00')
  })
})
