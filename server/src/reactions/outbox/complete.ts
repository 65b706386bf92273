/**
 * Completing dispatches: one statement for a batch, which counts only while the claim is still the owner's.
 * functions/outbox/complete_outbox.sql has the rules.
 */
import type { FailureReason } from '@carillon/contract'
import type { Client, Pool } from '../../platform/database/pool.ts'

/** What becomes of a claimed row. */
export interface DispatchCompletion {
  tenant_id: string
  id: string
  claim_count: number
  /** `drop` deletes the row and leaves no dead letter. */
  action: 'done' | 'retry' | 'dead' | 'drop'
  /** Set only for `retry`. */
  delay_ms: number | null
  /** false gives the attempt back, to a row that found no free slot. */
  uses_attempt: boolean
  message: string
  failure_reason: FailureReason | null
  classification: string
  recovery_hint: string
}

/** Returns the ids of the rows that were still claimed by the owner. */
export async function completeRows(
  db: Pool | Client,
  owner: string,
  completions: DispatchCompletion[],
): Promise<Set<string>> {
  const { rows } = await db.query<{ id: string }>({
    name: 'complete_outbox',
    text: 'select id from complete_outbox($1, $2::jsonb) as id',
    values: [owner, JSON.stringify(completions.map(withoutDefaults))],
  })
  return new Set(rows.map(row => row.id))
}

/** Most dispatches simply succeed: their other fields have the defaults of the SQL function. */
function withoutDefaults(completion: DispatchCompletion): Partial<DispatchCompletion> {
  const { tenant_id, id, claim_count } = completion
  return completion.action === 'done' ? { tenant_id, id, claim_count } : completion
}
