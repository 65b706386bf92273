import { expect, it } from 'vitest'
import { createTimes } from './times.ts'

const NOW = Date.parse('2026-11-18T12:00:00Z')
const berlin = createTimes('en-GB', 'Europe/Berlin')

it.each([
  ['2026-11-18T12:00:30Z', 'now'],
  ['2026-11-18T11:59:01Z', 'now'],
  ['2026-11-18T11:59:00Z', '1 min ago'],
  ['2026-11-18T11:00:01Z', '59 min ago'],
  ['2026-11-18T09:00:00Z', '3 hr ago'],
  ['2026-11-17T12:00:00Z', 'yesterday'],
  ['2026-11-14T12:00:00Z', '4 days ago'],
  ['2026-11-11T12:00:00Z', '11 Nov'],
  ['2025-11-11T12:00:00Z', '11 Nov 2025'],
])('%s was %s', (moment, ago) => {
  expect(berlin.ago(Date.parse(moment), NOW).replace(/(\d)(min|h|d) /, '$1 $2 ')).toBe(ago)
})

it('tells the exact time in the zone of whoever reads it', () => {
  expect(berlin.exactly(NOW)).toMatch(/Wednesday,? 18 November 2026 at 13:00:00 CET/)
})

it.each([
  ['2026-11-18', 'Today'],
  ['2026-11-17', 'Yesterday'],
  ['2026-11-16', /^Monday,? 16 November$/],
  ['2025-12-31', '31 December 2025'],
])('calls the day %s %s', (day, name) => {
  expect(berlin.day(day, '2026-11-18')).toMatch(name)
})

it('names the day of a snooze only if it is another', () => {
  expect(berlin.soon(Date.parse('2026-11-18T17:00:00Z'), NOW)).toBe('18:00')
  expect(berlin.soon(Date.parse('2026-11-19T08:00:00Z'), NOW)).toMatch(/^Thu,? 19 Nov,? 0?9:00$/)
})
