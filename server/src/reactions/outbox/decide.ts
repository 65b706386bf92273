/** Turns a handler's outcome into what happens to the row. Pure: attempt budget and backoff in one place. */
import type { FailureReason } from '@carillon/contract'
import { backoffMs } from '../../platform/queue/backoff.ts'
import { storable } from '../../platform/text/cut.ts'
import type { OutboxRow } from './claim.ts'
import type { DispatchCompletion } from './complete.ts'
import type { DispatchOutcome, LostEnd } from './handler.ts'

/** In UTF-16 units. Longer messages say nothing more, and would bloat the row. */
const MESSAGE_MAX_LENGTH = 1024
const ASK_AGAIN_MS = 1000

export function decideDispatch(row: OutboxRow, outcome: DispatchOutcome, random: number): DispatchCompletion {
  const base = completionOf(row, outcome.kind === 'done' ? '' : outcome.message)
  switch (outcome.kind) {
    case 'done':
      return base
    case 'busy':
      return { ...base, action: 'retry', delay_ms: outcome.delay_ms, uses_attempt: false }
    case 'drop':
      return { ...base, action: 'drop' }
    case 'missing':
      return toDeadLetter(row, base, 'target_missing', 'target_missing')
    case 'permanent':
      return toDeadLetter(row, base, 'permanent_failure', 'permanent')
    case 'retry': {
      if (row.attempt_count >= row.max_attempts)
        return toDeadLetter(row, base, 'max_retries_exceeded', 'transient')
      const { backoff: shape, base_ms, cap_ms, jitter } = row
      const policy = { shape, base_ms, cap_ms, jitter: { below: jitter, above: jitter } }
      const delayMs = Math.max(backoffMs(row.attempt_count, policy, random), outcome.retry_after_ms ?? 0)
      return { ...base, action: 'retry', delay_ms: delayMs }
    }
  }
}

/** Workers that died used up the budget: the one that takes over must not dispatch once more. */
export function decideLost(row: OutboxRow, end: LostEnd): DispatchCompletion {
  const message = `The worker died during the last of ${row.max_attempts} attempts; it may have arrived.`
  const base = completionOf(row, message)
  return end === 'dead' ? toDeadLetter(row, base, 'worker_lost', 'uncertain') : decideEnd(row, message, end)
}

/** `end` counts only for the last attempt. */
export function decideThrown(
  row: OutboxRow,
  message: string,
  end: LostEnd,
  random: number,
): DispatchCompletion {
  return end === 'dead'
    ? decideDispatch(row, { kind: 'retry', message }, random)
    : decideEnd(row, message, end)
}

function decideEnd(row: OutboxRow, message: string, end: Exclude<LostEnd, 'dead'>): DispatchCompletion {
  if (end === 'done') return completionOf(row, '')
  if (end === 'drop') return { ...completionOf(row, message), action: 'drop' }
  return decideDispatch(row, { kind: 'busy', message, delay_ms: ASK_AGAIN_MS }, 0)
}

/** Rows that were caused by a longer chain of dispatches are dropped. */
export const MAX_TRIGGER_DEPTH = 8

/** Ends dispatches that would cause each other forever, without a dead letter: replaying it would start them again. */
export function decideTooDeep(row: OutboxRow, maxTriggerDepth: number): DispatchCompletion {
  const message = `Caused by a chain of ${row.trigger_depth} dispatches; the limit is ${maxTriggerDepth}.`
  return { ...completionOf(row, message), action: 'drop' }
}

type Hints = Record<'transient' | 'permanent' | 'target_missing' | 'uncertain', string>

const WEBHOOK_HINTS: Hints = {
  transient: 'The receiver kept failing. Check that it works again, then replay.',
  permanent: 'The receiver refused it. Correct the receiver or the settings, then replay.',
  target_missing: 'Its target was deleted. Ignore it, or replay once a target with the same id exists again.',
  uncertain: 'It may have arrived. Check at the receiver before replaying; a repeat has the same id.',
}

const SCRIPT_HINTS: Hints = {
  transient: 'The script kept failing. Look at its runs, correct the cause, then replay.',
  permanent: 'The script may not run. Correct what the message says, then replay.',
  target_missing: 'Its trigger or script was deleted. Ignore it.',
  uncertain:
    'Workers died while the script ran. Nothing that it wanted done was stored; a replay runs it again.',
}

const OTHER_HINTS: Hints = {
  transient: 'It kept failing. Correct the cause, then replay.',
  permanent: 'It cannot work as it is. Correct what the message says, then replay.',
  target_missing: 'What it is about was deleted. Ignore it.',
  uncertain:
    'Workers died while it was handled. What they had not finished was undone; a replay does the rest.',
}

const HINTS: Record<string, Hints> = { webhook: WEBHOOK_HINTS, event_consumer: OTHER_HINTS }

function toDeadLetter(
  row: OutboxRow,
  base: DispatchCompletion,
  reason: FailureReason,
  classification: keyof Hints,
): DispatchCompletion {
  return {
    ...base,
    action: 'dead',
    failure_reason: reason,
    classification,
    recovery_hint: (HINTS[row.source_kind] ?? SCRIPT_HINTS)[classification],
  }
}

function completionOf(row: OutboxRow, message: string): DispatchCompletion {
  return {
    tenant_id: row.tenant_id,
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
