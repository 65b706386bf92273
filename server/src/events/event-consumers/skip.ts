/** Moving every cursor to the end of its log, for an instance that was restored: who was told already is not known. */
import type { Executor } from '../../platform/database/pool.ts'

export async function skipUnreadEvents(db: Executor): Promise<void> {
  await db.query(
    `update domain_events_processed set last_event_id = head_id, chunk_cursor = '', tries = 0, next_attempt_at = null,
       last_error = '', moved_at = now(), updated_at = now()
     where last_event_id < head_id`,
  )
}
