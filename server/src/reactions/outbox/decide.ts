/** From a handler's outcome to what becomes of the row. Pure: budget and backoff in one place. */
import type { FailureReason } from '@carillon/contract'
import { backoffMs } from '../../platform/queue/backoff.ts'
import { storable } from '../../platform/text/cut.ts'
import type { OutboxRow } from './claim.ts'
import type { DispatchCompletion } from './complete.ts'
import type { DispatchOutcome } from './handler.ts'

/** A message longer than this says nothing more, and would bloat the row. */
const MESSAGE_LIMIT = 1024

export function decideDispatch(row: OutboxRow, outcome: DispatchOutcome, random: number): DispatchCompletion {
  const base = completionOf(row, outcome.kind === 'done' ? '' : outcome.message)
  switch (outcome.kind) {
    case 'done':
      return base
    case 'busy':
      return { ...base, action: 'retry', delay_ms: outcome.delay_ms, uses_attempt: false }
    case 'missing':
      return bury(base, 'target_missing', 'target_missing')
    case 'permanent':
      return bury(base, 'permanent_failure', 'permanent')
    case 'retry': {
      if (row.attempt_count >= row.max_attempts) return bury(base, 'max_retries_exceeded', 'transient')
      const { backoff: shape, base_ms, cap_ms, jitter } = row
      const policy = { shape, base_ms, cap_ms, jitter: { below: jitter, above: jitter } }
      const delay = Math.max(backoffMs(row.attempt_count, policy, random), outcome.retry_after_ms ?? 0)
      return { ...base, action: 'retry', delay_ms: delay }
    }
  }
}

/** The budget was used up by workers that died: whoever takes over must not dispatch once more. */
export function decideLost(row: OutboxRow): DispatchCompletion {
  const message = `The worker died during the last of ${row.max_attempts} attempts; it may have arrived.`
  return { ...bury(completionOf(row, message), 'worker_lost', 'uncertain') }
}

/** Dispatches that cause each other without end are cut, and leave no letter that could start them again. */
export function decideTooDeep(row: OutboxRow, deepest: number): DispatchCompletion {
  const message = `Caused by a chain of ${row.trigger_depth} dispatches; at most ${deepest} are followed.`
  return { ...completionOf(row, message), action: 'drop' }
}

const HINTS: Record<string, string> = {
  transient: 'The receiver kept failing. Replay it when it works again.',
  permanent: 'The receiver refused it. Change the receiver or the settings, then replay.',
  target_missing: 'What it was for is gone. Ignore it, or create it again under the same id and replay.',
  uncertain: 'It may have arrived. Ask the receiver before you replay it; a repeat carries the same id.',
}

function bury(base: DispatchCompletion, reason: FailureReason, classification: string): DispatchCompletion {
  return {
    ...base,
    action: 'dead',
    failure_reason: reason,
    classification,
    recovery_hint: HINTS[classification] ?? '',
  }
}

function completionOf(row: OutboxRow, message: string): DispatchCompletion {
  return {
    id: row.id,
    claim_count: row.claim_count,
    action: 'done',
    delay_ms: null,
    uses_attempt: true,
    message: storable(message, MESSAGE_LIMIT),
    failure_reason: null,
    classification: '',
    recovery_hint: '',
  }
}
