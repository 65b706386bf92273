/** What a caller who waited for a script is told when it failed: the status by kind of failure, and a stable code. */
import { ERRORS, type ErrorCode, type RunFailure } from '@carillon/contract'
import { Refusal } from '../../platform/calls/refusal.ts'

/** `busy` is no failure of a run: it never began. */
export type ReplyFailure = RunFailure | 'busy'

/** Whose fault it is: the script's own, its limits', or ours. */
const CODES: Record<ReplyFailure, ErrorCode> = {
  exception: 'script_failed',
  syntax: 'script_failed',
  effect_refused: 'script_failed',
  forbidden: 'script_failed',
  memory_limit: 'script_limit',
  output_limit: 'script_limit',
  effects_limit: 'script_limit',
  cpu_limit: 'script_timeout',
  timeout: 'script_timeout',
  busy: 'script_busy',
  crashed: 'script_crashed',
  lost: 'script_crashed',
  target_missing: 'internal',
}

export interface FailureReply {
  failure_kind: ReplyFailure
  message: string
}

/** As it is stored in the caller's inbox. */
export function failureReply(failure: FailureReply): { status_code: number; reply_json: string } {
  return { status_code: ERRORS[CODES[failure.failure_kind]].status, reply_json: JSON.stringify(failure) }
}

export function refusalOf({ failure_kind, message }: FailureReply): Refusal {
  return new Refusal(CODES[failure_kind], message)
}

/** Names the execution: its run, or the result that nobody waited for, is found by that. */
export function noReply(waitedMs: number, executionId: string): Refusal {
  const detail = `The script gave no result within ${waitedMs} ms. Execution ${executionId} may still be running.`
  return new Refusal('script_timeout', detail)
}
