import type { DigestSchedule } from '@carillon/contract'
import { expect, it } from 'vitest'
import { nextDigestAt } from './digest-times.ts'

const HOUR = 3_600_000
const ZONES = Intl.supportedValuesOf('timeZone')
const daily = (at: string): DigestSchedule => ({ every: 'day', at })
const monday = (at: string): DigestSchedule => ({ every: 'week', on: 'monday', at })
const HOURLY: DigestSchedule = { every: 'hour' }

function series(schedule: DigestSchedule, zone: string, start: number, count: number): number[] {
  const times = [nextDigestAt(schedule, zone, start)!]
  while (times.length < count) times.push(nextDigestAt(schedule, zone, times.at(-1)!)!)
  return times
}

it.each<[string, DigestSchedule, string, string, string]>([
  ['later today', daily('08:00'), 'UTC', '2026-05-05T07:59:59.999Z', '2026-05-05T08:00:00.000Z'],
  [
    'a day later at its very moment',
    daily('08:00'),
    'UTC',
    '2026-05-05T08:00:00.000Z',
    '2026-05-06T08:00:00.000Z',
  ],
  [
    'at its time on the person’s clock',
    daily('08:00'),
    'Asia/Tokyo',
    '2026-05-05T07:00:00Z',
    '2026-05-05T23:00:00.000Z',
  ],
  [
    'on the person’s day',
    daily('00:30'),
    'Pacific/Kiritimati',
    '2026-05-05T10:15:00Z',
    '2026-05-05T10:30:00.000Z',
  ],
  ['at the next full hour', HOURLY, 'UTC', '2026-05-05T07:10:00Z', '2026-05-05T08:00:00.000Z'],
  [
    'at the full hour of the person’s zone',
    HOURLY,
    'Asia/Kathmandu',
    '2026-05-05T07:10:00Z',
    '2026-05-05T07:15:00.000Z',
  ],
  [
    'at the end of an hour of ninety minutes',
    HOURLY,
    'Australia/Lord_Howe',
    '2026-04-04T14:40:00Z',
    '2026-04-04T15:30:00.000Z',
  ],
  ['later this week', monday('09:00'), 'UTC', '2026-05-06T12:00:00Z', '2026-05-11T09:00:00.000Z'],
  ['later that day', monday('09:00'), 'UTC', '2026-05-11T08:00:00Z', '2026-05-11T09:00:00.000Z'],
  ['a week later', monday('09:00'), 'UTC', '2026-05-11T09:00:00Z', '2026-05-18T09:00:00.000Z'],
  [
    'on Monday in the person’s zone',
    monday('00:00'),
    'America/New_York',
    '2026-05-10T23:00:00Z',
    '2026-05-11T04:00:00.000Z',
  ],
  [
    'at the same local time after the change to summer',
    daily('08:00'),
    'Europe/Berlin',
    '2026-03-28T08:00:00Z',
    '2026-03-29T06:00:00.000Z',
  ],
  [
    'an hour later in Berlin where the clock skips its time',
    daily('02:30'),
    'Europe/Berlin',
    '2026-03-28T12:00:00Z',
    '2026-03-29T01:30:00.000Z',
  ],
  [
    'an hour later in New York where the clock skips its time',
    daily('02:30'),
    'America/New_York',
    '2026-03-07T12:00:00Z',
    '2026-03-08T07:30:00.000Z',
  ],
  [
    'at the first of two such times',
    daily('02:30'),
    'Europe/Berlin',
    '2026-10-24T12:00:00Z',
    '2026-10-25T00:30:00.000Z',
  ],
  [
    'a day later at the second of two such times',
    daily('02:30'),
    'Europe/Berlin',
    '2026-10-25T00:30:00Z',
    '2026-10-26T01:30:00.000Z',
  ],
  [
    'in UTC if the zone is unknown',
    daily('08:00'),
    'Mars/Olympus',
    '2026-05-05T07:00:00Z',
    '2026-05-05T08:00:00.000Z',
  ],
])('the next digest is %s', (_name, schedule, zone, at, expected) => {
  expect(new Date(nextDigestAt(schedule, zone, Date.parse(at))!).toISOString()).toBe(expected)
})

it('a person who wants every message by itself gets no digest', () => {
  expect(nextDigestAt({ every: 'message' }, 'UTC', 0)).toBeUndefined()
})

it('digests come at their local time in every IANA zone, through all clock changes', () => {
  const friday: DigestSchedule = { every: 'week', on: 'friday', at: '16:45' }
  for (const zone of ZONES) {
    const format = new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      weekday: 'long',
      hour: '2-digit',
      minute: '2-digit',
    })
    const shown = (at: number) => format.format(at).toLowerCase()
    for (const start of [Date.parse('2026-03-01T00:00:00Z'), Date.parse('2026-09-01T00:00:00Z')]) {
      const days = series(daily('02:30'), zone, start, 75)
      for (const [i, at] of days.entries())
        if (i > 0) expect([zone, Math.abs(at - days[i - 1]! - 24 * HOUR) <= 2 * HOUR]).toEqual([zone, true])
      // There is at most one night on which that time does not exist.
      expect([zone, days.filter(at => !shown(at).endsWith('02:30')).length <= 1]).toEqual([zone, true])

      const weeks = series(friday, zone, start, 11)
      expect([zone, weeks.map(shown)]).toEqual([zone, Array(11).fill('friday 16:45')])
      expect([zone, weeks.at(-1)! - weeks[0]! < 71 * 24 * HOUR]).toEqual([zone, true])
    }
  }
})

it('hourly digests come on every full hour of local time, within ninety minutes', () => {
  for (const zone of ZONES) {
    const format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, minute: '2-digit' })
    for (const from of [
      '2026-03-28T20:17:00Z',
      '2026-04-04T00:40:00Z',
      '2026-10-03T00:40:00Z',
      '2026-10-24T20:17:00Z',
    ]) {
      for (let at = Date.parse(from), n = 0; n < 30; n++) {
        const next = nextDigestAt(HOURLY, zone, at)!
        expect([zone, next > at, next - at <= 1.5 * HOUR, format.format(next)]).toEqual([
          zone,
          true,
          true,
          '0',
        ])
        at = next
      }
    }
  }
})
