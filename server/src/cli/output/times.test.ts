import { expect, test } from 'vitest'
import { formatMoment, formatSpan } from './times.ts'

test.each([
  [0, '0 ms'],
  [12.4, '12 ms'],
  [999, '999 ms'],
  [1000, '1.0 s'],
  [12_399, '12.3 s'],
  [59_999, '59.9 s'],
  [60_000, '1 min'],
  [310_000, '5 min 10 s'],
  [3_600_000, '1 h'],
  [7_500_000, '2 h 5 min'],
  [86_400_000, '1 d'],
  [273_600_000, '3 d 4 h'],
  [-1500, '-1.5 s'],
])('%i ms is %s', (ms, text) => {
  expect(formatSpan(ms)).toBe(text)
})

test('a moment is shown in UTC to the second', () => {
  expect(formatMoment('2026-01-31T10:30:00.987+01:00')).toBe('2026-01-31 09:30:00Z')
  expect(formatMoment(null)).toBe('')
})
