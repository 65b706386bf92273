/** When to try again. Pure arithmetic: the caller brings the random number. */

export interface RetryPolicy {
  base_ms: number
  cap_ms: number
}

/** Exponential from the base, capped, plus 0–10 % so that a burst of failures does not come back as a burst. */
export function backoffMs(attempt: number, policy: RetryPolicy, random: number): number {
  // 2 ** 30 × 1 ms is beyond every cap; the limit keeps the number finite for absurd attempt counts.
  const delay = Math.min(policy.cap_ms, policy.base_ms * 2 ** Math.min(attempt - 1, 30))
  return Math.round(delay * (1 + 0.1 * random))
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
