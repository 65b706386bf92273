/** Ending routes that were due when the instance was restored, since nobody knows whether they were sent. */
import type { Executor } from '../../platform/database/pool.ts'

const BATCH_ROWS = 1000

/**
 * Tells no webhooks, which would take it for the truth about a message that may have arrived. Leases count for nothing: their
 * owners are gone. Inbox messages are part of the database and stay due.
 */
export async function discardDueRoutes(db: Executor, restoredAt: Date): Promise<number> {
  for (let sum = 0; ; ) {
    const { rowCount } = await db.query(
      `update routes set status = 'cancelled', cancelled_at = now(), next_attempt_at = null, lease_owner = null,
         lease_until = null, reason = 'restored', updated_at = now()
       where ctid = any (array(
         select ctid from routes where channel <> 'in_app' and next_attempt_at <= $1 and created_at <= $1 limit $2 for update))`,
      [restoredAt, BATCH_ROWS],
    )
    sum += rowCount ?? 0
    if ((rowCount ?? 0) < BATCH_ROWS) return sum
  }
}
