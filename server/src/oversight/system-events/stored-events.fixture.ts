/** System events as the database has them: tests end with none, and make them older than they are. */
import type { Pool } from '../../platform/database/pool.ts'

export const deleteSystemEvents = (pool: Pool) => pool.query('delete from admin_system_events')

/** Makes all events, or the one with the id, look as if they had been raised so long ago. */
export const ageSystemEvents = (pool: Pool, interval: string, id: number | null = null) =>
  pool.query(
    'update admin_system_events set created_at = now() - $1::interval where $2::bigint is null or id = $2',
    [interval, id],
  )
