/** Deleting what was due when the instance was restored, since nobody knows whether it was done. */
import type { Executor } from '../../platform/database/pool.ts'

const BATCH_ROWS = 1000

export async function discardDueOutbox(db: Executor, restoredAt: Date): Promise<number> {
  for (let sum = 0; ; ) {
    const { rowCount } = await db.query(
      `delete from outbox where ctid = any (array(
         select ctid from outbox where next_attempt_at <= $1 and created_at <= $1 limit $2 for update))`,
      [restoredAt, BATCH_ROWS],
    )
    sum += rowCount ?? 0
    if ((rowCount ?? 0) < BATCH_ROWS) return sum
  }
}
