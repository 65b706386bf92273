/** What keeps a message from being sent now, and what becomes of its route. */
import type { FinishReason, PostponeReason, SkipReason } from '@carillon/contract'

export type Obstacle = Skip | Postpone | Finish

export interface Skip {
  kind: 'skip'
  reason: SkipReason
  text: string
}

/** Nobody was asked to send, so no attempt is used. */
export interface Postpone {
  kind: 'postpone'
  reason: PostponeReason
  text: string
  delay_ms: number
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

export function postpone(reason: PostponeReason, text: string, delay_ms: number): Postpone {
  return { kind: 'postpone', reason, text, delay_ms }
}

/** What had to be asked did not answer; usually it does a moment later. */
export function askAgain(reason: PostponeReason, text: string): Postpone {
  return postpone(reason, text, 1000)
}

/** Of a throttle or digest. */
export function unknownYet(error: Error): Postpone {
  return askAgain('database', `Whether it may go out is not known: ${error.message}`)
}

export function cancel(text: string): Finish {
  return { kind: 'finish', status: 'cancelled', reason: 'cancelled', text }
}

export function expire(text: string): Finish {
  return { kind: 'finish', status: 'expired', reason: 'deadline', text }
}
