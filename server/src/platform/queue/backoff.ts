/** When to try again. Pure arithmetic: the caller passes in the random number. */

export const BACKOFF_SHAPES = ['exponential', 'linear', 'constant'] as const
export type BackoffShape = (typeof BACKOFF_SHAPES)[number]

export interface RetryPolicy {
  /** Exponential by default. */
  shape?: BackoffShape
  base_ms: number
  cap_ms: number
  /** How much shorter and longer the delay may be, as fractions of it. */
  jitter?: { below: number; above: number }
}

/** A little longer, never shorter, so that a burst of failures does not return as a burst. */
const JITTER = { below: 0, above: 0.1 }

/** The delay after the n-th attempt: base × 2ⁿ⁻¹, base × n or base; capped, then varied by the jitter. */
export function backoffMs(attempt: number, policy: RetryPolicy, random: number): number {
  const { below, above } = policy.jitter ?? JITTER
  const delayMs = Math.min(policy.cap_ms, policy.base_ms * growth(policy.shape ?? 'exponential', attempt))
  return Math.round(delayMs * (1 - below + (below + above) * random))
}

function growth(shape: BackoffShape, attempt: number): number {
  if (shape === 'constant') return 1
  if (shape === 'linear') return attempt
  // 2 ** 30 × 1 ms is beyond every cap; the limit keeps the number finite for absurd attempt counts.
  return 2 ** Math.min(attempt - 1, 30)
}

/** A last attempt is worth making only if this much time is left before the deadline. */
const LAST_CHANCE_MS = 1000

/**
 * The delay until the next attempt, or undefined when none fits before the deadline. It is never shorter than the
 * provider's own Retry-After; our backoff is shortened so that a last attempt still happens in time.
 */
export function nextDelayMs(input: {
  attempt: number
  policy: RetryPolicy
  random: number
  retryAfterMs?: number | undefined
  msToDeadline: number | null
}): number | undefined {
  const retryAfterMs = input.retryAfterMs ?? 0
  const delayMs = Math.max(backoffMs(input.attempt, input.policy, input.random), retryAfterMs)
  if (input.msToDeadline === null || delayMs < input.msToDeadline) return delayMs
  const shortenedMs = input.msToDeadline - LAST_CHANCE_MS
  return shortenedMs >= LAST_CHANCE_MS && shortenedMs >= retryAfterMs ? shortenedMs : undefined
}
