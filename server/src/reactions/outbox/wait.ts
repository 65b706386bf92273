/** Ending the wait of a target's rows. */
import type { Executor } from '../../platform/database/pool.ts'

/** Makes rows that have not been tried yet due now. Rows that have been tried keep the time of their next attempt. */
export async function makeWaitingDue(
  db: Executor,
  tenantId: string,
  sourceKind: string,
  targetId: string,
): Promise<void> {
  await db.query(
    `update outbox set next_attempt_at = now()
     where tenant_id = $1 and source_kind = $2 and target_id = $3 and attempt_count = 0 and next_attempt_at > now()
       and lease_owner is null`,
    [tenantId, sourceKind, targetId],
  )
}
