import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { backoffMs, nextDelayMs } from './backoff.ts'

const policy = { base_ms: 10_000, cap_ms: 3_600_000 }

describe('backoff', () => {
  it.each([
    [1, 10_000],
    [2, 20_000],
    [3, 40_000],
    [9, 2_560_000],
    [10, 3_600_000],
    [1000, 3_600_000],
  ])(
    'attempt %i waits %i ms: doubling from the base, capped',
    { tags: ['S002-7', 'S000-22'] },
    (attempt, expected) => {
      expect(backoffMs(attempt, policy, 0)).toBe(expected)
    },
  )

  it('adds 0 to 10 % of jitter', { tags: 'S002-7' }, () => {
    expect(backoffMs(1, policy, 1)).toBe(11_000)
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (attempt, random) => {
          const plain = backoffMs(attempt, policy, 0)
          const jittered = backoffMs(attempt, policy, random)
          expect(jittered).toBeGreaterThanOrEqual(plain)
          expect(jittered).toBeLessThanOrEqual(Math.round(plain * 1.1))
        },
      ),
    )
  })

  it.each([
    ['exponential', [1000, 2000, 4000, 5000]],
    ['linear', [1000, 2000, 3000, 4000]],
    ['constant', [1000, 1000, 1000, 1000]],
  ] as const)('%s grows like %j', { tags: 'S003-10' }, (shape, delays) => {
    const plain = { shape, base_ms: 1000, cap_ms: 5000, jitter: { below: 0, above: 0 } }
    expect([1, 2, 3, 4].map(attempt => backoffMs(attempt, plain, 0.7))).toEqual(delays)
  })

  it('varies by ±20 % where it is told to', { tags: 'S003-10' }, () => {
    const varied = { base_ms: 1000, cap_ms: 5000, jitter: { below: 0.2, above: 0.2 } }
    expect([0, 0.5, 1].map(random => backoffMs(1, varied, random))).toEqual([800, 1000, 1200])
  })

  it('follows the base and cap it is given', () => {
    expect(backoffMs(3, { base_ms: 60_000, cap_ms: 100_000 }, 0)).toBe(100_000)
  })
})

describe('the next attempt', () => {
  const next = (given: { retryAfterMs?: number; msToDeadline: number | null }) =>
    nextDelayMs({ attempt: 1, policy, random: 0, ...given })

  it.each([
    ['waits for the backoff', { msToDeadline: null }, 10_000],
    ['waits as long as the provider asks', { retryAfterMs: 90_000, msToDeadline: null }, 90_000],
    ['never comes earlier than the backoff', { retryAfterMs: 1000, msToDeadline: null }, 10_000],
    ['is moved before the deadline', { msToDeadline: 8000 }, 7000],
    [
      'does not undercut the provider for the deadline',
      { retryAfterMs: 9000, msToDeadline: 9500 },
      undefined,
    ],
    [
      'still fits when the provider asks for less than the deadline',
      { retryAfterMs: 5000, msToDeadline: 8000 },
      7000,
    ],
    ['does not happen when the deadline is upon us', { msToDeadline: 1500 }, undefined],
  ])('%s', (_name, given, expected) => {
    expect(next(given)).toBe(expected)
  })
})
