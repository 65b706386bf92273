import { expect, it } from 'vitest'
import { saySpan, unitOf } from './duration.ts'

it('says a time in the largest unit that leaves it whole', () => {
  expect([1, 1500, 60_000, 5_400_000, 86_400_000, 604_800_000].map(saySpan)).toEqual([
    '1 ms',
    '1,500 ms',
    '1 minute',
    '90 minutes',
    '1 day',
    '7 days',
  ])
})

it('begins with seconds', () => {
  expect(unitOf(0)).toBe('seconds')
})
