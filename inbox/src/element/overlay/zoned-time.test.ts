import { expect, it } from 'vitest'
import { fromField, momentOf, toField, wallTimeAt } from './zoned-time.ts'

const CASES: [zone: string, field: string, moment: string, why: string][] = [
  ['UTC', '2026-11-18T09:00', '2026-11-18T09:00:00Z', 'no offset'],
  ['Europe/Berlin', '2026-11-18T09:00', '2026-11-18T08:00:00Z', 'winter'],
  ['Europe/Berlin', '2026-07-01T00:30', '2026-06-30T22:30:00Z', 'summer, another day in Greenwich'],
  ['Europe/Berlin', '2026-03-29T02:30', '2026-03-29T01:30:00Z', 'skipped: 03:30 instead'],
  ['Europe/Berlin', '2026-03-29T03:00', '2026-03-29T01:00:00Z', 'the first moment of summer'],
  ['Europe/Berlin', '2026-10-25T02:30', '2026-10-25T00:30:00Z', 'twice: the first'],
  ['Europe/Berlin', '2026-10-25T03:00', '2026-10-25T02:00:00Z', 'after both'],
  ['America/New_York', '2026-03-08T02:00', '2026-03-08T07:00:00Z', 'skipped: 03:00 instead'],
  ['Australia/Lord_Howe', '2026-10-04T02:15', '2026-10-03T15:45:00Z', 'half an hour skipped'],
  ['Asia/Kathmandu', '2026-01-01T00:00', '2025-12-31T18:15:00Z', 'quarters of an hour'],
  ['Pacific/Kiritimati', '2026-01-01T00:00', '2025-12-31T10:00:00Z', 'fourteen hours'],
]

it.each(CASES)('in %s, %s is %s: %s', (zone, field, moment) => {
  expect(new Date(momentOf(fromField(field)!, zone))).toEqual(new Date(moment))
})

it('reads clocks, also before 1970 and within a minute', () => {
  expect(toField(wallTimeAt(Date.parse('1969-12-31T23:59:30Z'), 'UTC'))).toBe('1969-12-31T23:59')
  expect(toField(wallTimeAt(Date.parse('2026-07-01T00:00:00Z'), 'Asia/Kolkata'))).toBe('2026-07-01T05:30')
})

it.each(['', 'tomorrow', '2026-13-01T00:00'])('%j is no date and time', value => {
  expect(fromField(value)).toBeUndefined()
})
