/** What keeps a message from being sent now, and what happens to its route. */
import type { FinishReason, PostponeReason, SkipReason } from '@carillon/contract'

export type Obstacle = Skip | Postpone | Finish

export interface Skip {
  kind: 'skip'
  reason: SkipReason
  text: string
}

/** No provider was called, so no attempt is used. */
export interface Postpone<Reason extends PostponeReason = PostponeReason> {
  kind: 'postpone'
  reason: Reason
  text: string
  delay_ms: number
  /** The error that made it, for whoever can do more about it than wait. */
  cause?: Error
}

export interface Finish {
  kind: 'finish'
  status: 'cancelled' | 'expired'
  reason: FinishReason
  text: string
}

export function skip(reason: SkipReason, text: string): Skip {
  return { kind: 'skip', reason, text }
}

export function postpone<Reason extends PostponeReason>(
  reason: Reason,
  text: string,
  delay_ms: number,
): Postpone<Reason> {
  return { kind: 'postpone', reason, text, delay_ms }
}

/** For failures that have usually passed a moment later. */
export function retrySoon(reason: PostponeReason, text: string, cause?: Error): Postpone {
  return { ...postpone(reason, text, 1000), ...(cause && { cause }) }
}

/** When a throttle or digest could not be asked. */
export function postponeOnError(error: Error): Postpone {
  return retrySoon('database', `It could not be found out whether it may be sent: ${error.message}`, error)
}

export function cancel(text: string): Finish {
  return { kind: 'finish', status: 'cancelled', reason: 'cancelled', text }
}

export function expire(text: string): Finish {
  return { kind: 'finish', status: 'expired', reason: 'deadline', text }
}
