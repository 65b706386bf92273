/** How long rows of a target wait. */
import type { Executor } from '../../platform/database/pool.ts'

/** What waits for a target without having been tried is due at once; what was tried keeps its time. */
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
