/** When to try again. Pure arithmetic: the caller brings the random number. */

export const BACKOFF_SHAPES = ['exponential', 'linear', 'constant'] as const
export type BackoffShape = (typeof BACKOFF_SHAPES)[number]

export interface RetryPolicy {
  /** Exponential unless told. */
  shape?: BackoffShape
  base_ms: number
  cap_ms: number
  /** By which shares the delay may be shorter and longer. */
  jitter?: { below: number; above: number }
}

/** A little longer, never shorter: a burst of failures does not come back as a burst. */
const JITTER = { below: 0, above: 0.1 }

/** The delay after so many attempts: base × 2ⁿ⁻¹, base × n or base, capped, then varied. */
export function backoffMs(attempt: number, policy: RetryPolicy, random: number): number {
  const { below, above } = policy.jitter ?? JITTER
  const delay = Math.min(policy.cap_ms, policy.base_ms * growth(policy.shape ?? 'exponential', attempt))
  return Math.round(delay * (1 - below + (below + above) * random))
}

function growth(shape: BackoffShape, attempt: number): number {
  if (shape === 'constant') return 1
  if (shape === 'linear') return attempt
  // 2 ** 30 × 1 ms is beyond every cap; the limit keeps the number finite for absurd attempt counts.
  return 2 ** Math.min(attempt - 1, 30)
}

/** A last attempt is worth making only while this much time is left before the deadline. */
const LAST_CHANCE_MS = 1000

/**
 * The delay until the next attempt, or undefined when none fits before the deadline. A provider's own Retry-After is
 * never undercut; our backoff is shortened so that a last attempt still happens in time.
 */
export function nextDelayMs(input: {
  attempt: number
  policy: RetryPolicy
  random: number
  retryAfterMs?: number | undefined
  msToDeadline: number | null
}): number | undefined {
  const backoff = backoffMs(input.attempt, input.policy, input.random)
  const asked = input.retryAfterMs ?? 0
  const delay = Math.max(backoff, asked)
  if (input.msToDeadline === null || delay < input.msToDeadline) return delay
  const lastChance = input.msToDeadline - LAST_CHANCE_MS
  return lastChance >= LAST_CHANCE_MS && lastChance >= asked ? lastChance : undefined
}
