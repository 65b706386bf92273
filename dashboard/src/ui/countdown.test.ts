import { expect, test } from 'vitest'
import { sayCountdown } from './countdown.tsx'

test.each([
  [-5, 'any moment'],
  [999, 'in 1 s'],
  [64_000, 'in 1 min 04 s'],
  [2 * 3_600_000 + 5 * 60_000, 'in 2 h 05 min'],
  [26 * 3_600_000, 'in 26 h 00 min'],
  [3 * 86_400_000 + 3_600_000, 'in 3 days 1 h'],
])('%i ms', (ms, words) => {
  expect(sayCountdown(ms)).toBe(words)
})
