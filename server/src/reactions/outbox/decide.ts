/** Turns a handler's outcome into what happens to the row. Pure: attempt budget and backoff in one place. */
import type { FailureReason } from '@carillon/contract'
import { backoffMs } from '../../platform/queue/backoff.ts'
import { storable } from '../../platform/text/cut.ts'
import type { OutboxRow } from './claim.ts'
import type { DispatchCompletion } from './complete.ts'
import type { DispatchOutcome } from './handler.ts'

/** In UTF-16 units. Longer messages say nothing more, and would bloat the row. */
const MESSAGE_MAX_LENGTH = 1024

export function decideDispatch(row: OutboxRow, outcome: DispatchOutcome, random: number): DispatchCompletion {
  const base = completionOf(row, outcome.kind === 'done' ? '' : outcome.message)
  switch (outcome.kind) {
    case 'done':
      return base
    case 'busy':
      return { ...base, action: 'retry', delay_ms: outcome.delay_ms, uses_attempt: false }
    case 'missing':
      return toDeadLetter(base, 'target_missing', 'target_missing')
    case 'permanent':
      return toDeadLetter(base, 'permanent_failure', 'permanent')
    case 'retry': {
      if (row.attempt_count >= row.max_attempts)
        return toDeadLetter(base, 'max_retries_exceeded', 'transient')
      const { backoff: shape, base_ms, cap_ms, jitter } = row
      const policy = { shape, base_ms, cap_ms, jitter: { below: jitter, above: jitter } }
      const delayMs = Math.max(backoffMs(row.attempt_count, policy, random), outcome.retry_after_ms ?? 0)
      return { ...base, action: 'retry', delay_ms: delayMs }
    }
  }
}

/** Workers that died used up the budget: the one that takes over must not dispatch once more. */
export function decideLost(row: OutboxRow): DispatchCompletion {
  const message = `The worker died during the last of ${row.max_attempts} attempts; it may have arrived.`
  return toDeadLetter(completionOf(row, message), 'worker_lost', 'uncertain')
}

/** Ends dispatches that would cause each other forever, without a dead letter: replaying it would start them again. */
export function decideTooDeep(row: OutboxRow, maxTriggerDepth: number): DispatchCompletion {
  const message = `Caused by a chain of ${row.trigger_depth} dispatches; the limit is ${maxTriggerDepth}.`
  return { ...completionOf(row, message), action: 'drop' }
}

const RECOVERY_HINTS: Record<string, string> = {
  transient: 'The receiver kept failing. Check that it works again, then replay.',
  permanent: 'The receiver refused it. Correct the receiver or the settings, then replay.',
  target_missing: 'Its target was deleted. Ignore it, or replay once a target with the same id exists again.',
  uncertain: 'It may have arrived. Check at the receiver before replaying; a repeat has the same id.',
}

function toDeadLetter(
  base: DispatchCompletion,
  reason: FailureReason,
  classification: string,
): DispatchCompletion {
  return {
    ...base,
    action: 'dead',
    failure_reason: reason,
    classification,
    recovery_hint: RECOVERY_HINTS[classification] ?? '',
  }
}

function completionOf(row: OutboxRow, message: string): DispatchCompletion {
  return {
    id: row.id,
    claim_count: row.claim_count,
    action: 'done',
    delay_ms: null,
    uses_attempt: true,
    message: storable(message, MESSAGE_MAX_LENGTH),
    failure_reason: null,
    classification: '',
    recovery_hint: '',
  }
}
