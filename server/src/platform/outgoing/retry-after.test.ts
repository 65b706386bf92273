import { describe, expect, it } from 'vitest'
import { parseRetryAfter } from './retry-after.ts'

const now = () => Date.parse('2026-03-01T12:00:00Z')

describe('parseRetryAfter', () => {
  it.each<[string, string | undefined, number | undefined]>([
    ['seconds', '120', 120_000],
    ['zero seconds', '0', 0],
    ['seconds with space around', ' 5 ', 5_000],
    ['a date in the usual form', 'Sun, 01 Mar 2026 12:00:30 GMT', 30_000],
    ['a date in the RFC 850 form', 'Sunday, 01-Mar-26 12:00:30 GMT', 30_000],
    ['a date in the asctime form, which means GMT', 'Sun Mar  1 12:00:30 2026', 30_000],
    ['a past date', 'Sun, 01 Mar 2026 11:59:00 GMT', 0],
    ['more than a day in seconds', '999999999999999999999', 86_400_000],
    ['more than a day as a date', 'Fri, 01 Mar 2030 12:00:00 GMT', 86_400_000],
    ['no header', undefined, undefined],
    ['an empty header', '', undefined],
    ['a negative number', '-1', undefined],
    ['a fraction', '1.5', undefined],
    ['an ISO date, which is no HTTP date', '2026-03-01T12:00:30Z', undefined],
    ['a weekday without a date', 'Sun, soon', undefined],
    ['a word', 'later', undefined],
  ])('reads %s', (_case, header, expected) => {
    expect(parseRetryAfter(header, now)).toBe(expected)
  })
})
