/** Ending the wait of a target's rows. */
import type { Executor, Pool } from '../../platform/database/pool.ts'

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

/**
 * The same for everything of a tenant, in portions that lock little and for a short time. What was delayed on purpose keeps
 * its time. What still has to wait, because its target is paused, is put off again.
 */
export async function makeTenantDue(pool: Pool, tenantId: string, portion = 5000): Promise<void> {
  for (;;) {
    const { rowCount } = await pool.query(
      `update outbox set next_attempt_at = now()
       where tenant_id = $1 and id in (
         select id from outbox
         where tenant_id = $1 and attempt_count = 0 and next_attempt_at > now() and lease_owner is null
           and (context ->> 'not_before' is null or (context ->> 'not_before')::timestamptz <= now())
         limit $2 for update skip locked
       )`,
      [tenantId, portion],
    )
    if (rowCount! < portion) return
  }
}
