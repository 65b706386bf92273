/** One structured log line per dispatch from the outbox. Payloads and addresses are never logged. */
import type { Logger } from 'pino'
import type { OutboxRow } from '../../reactions/outbox/claim.ts'
import type { DispatchCompletion } from '../../reactions/outbox/complete.ts'

export function logDispatch(
  log: Logger,
  row: OutboxRow,
  completion: DispatchCompletion,
  completed: boolean,
  durationMs: number,
): void {
  const line = {
    tenant_id: row.tenant_id,
    outbox_id: row.id,
    source_kind: row.source_kind,
    op: row.op,
    target_id: row.target_id,
    attempt: row.attempt_count,
    of: row.max_attempts,
    outcome: outcomeOf(completion),
    duration_ms: Math.round(durationMs),
    ...(!completed && { taken_over: true }),
    ...(completion.message !== '' && { message: completion.message }),
  }
  if (completion.action === 'dead' || completion.action === 'drop') log.warn(line, 'dispatch')
  else log.info(line, 'dispatch')
}

/** Waiting for a free slot is not a failure, so it has its own outcome. */
export function outcomeOf({ action, uses_attempt }: DispatchCompletion): string {
  return action === 'retry' && !uses_attempt ? 'postponed' : action
}
