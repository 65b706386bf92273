/** Ending expansions that had begun when the instance was restored: who was told already is not known. */
import type { Executor } from '../../platform/database/pool.ts'

export async function discardExpansions(db: Executor, restoredAt: Date): Promise<number> {
  const { rowCount } = await db.query('delete from expansions where created_at <= $1', [restoredAt])
  return rowCount ?? 0
}
