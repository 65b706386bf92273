/**
 * Completing dispatches: one statement for a batch (functions/complete_outbox.sql). Only the owner of the very claim may
 * report.
 */
import type { FailureReason } from '@carillon/contract'
import type { Client, Pool } from '../../platform/database/pool.ts'

/** What becomes of a claimed row. */
export interface DispatchCompletion {
  id: string
  claim_count: number
  /** `drop` ends it without a trace in the tables. */
  action: 'done' | 'retry' | 'dead' | 'drop'
  /** Set exactly when it is tried again. */
  delay_ms: number | null
  /** A row that found no free slot gets its attempt back. */
  uses_attempt: boolean
  message: string
  failure_reason: FailureReason | null
  classification: string
  recovery_hint: string
}

/** The ids of the rows that were still ours. */
export async function completeRows(
  db: Pool | Client,
  owner: string,
  completions: DispatchCompletion[],
): Promise<Set<string>> {
  const { rows } = await db.query<{ id: string }>({
    name: 'complete_outbox',
    text: 'select id from complete_outbox($1, $2::jsonb) as id',
    values: [owner, JSON.stringify(completions.map(leaveOutUsual))],
  })
  return new Set(rows.map(row => row.id))
}

/** Most dispatches simply succeed, and need not say so in nine fields. */
function leaveOutUsual(completion: DispatchCompletion): Partial<DispatchCompletion> {
  const { id, claim_count } = completion
  return completion.action === 'done' ? { id, claim_count } : completion
}
