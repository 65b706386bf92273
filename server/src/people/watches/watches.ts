/** Watches that come about by themselves. */
import type { WATCH_LEVELS } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'

/** Only if the person has no watch on the topic: a choice is never overwritten. */
export async function watchAutomatically(
  db: Executor,
  tenantId: string,
  topic: string,
  userId: string,
  level: (typeof WATCH_LEVELS)[number],
): Promise<void> {
  await db.query('select watch_automatically($1, $2, $3, $4)', [tenantId, topic, [userId], level])
}
