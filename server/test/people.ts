/** Many people at once, for tests of crowds. */
import type { Pool } from '../src/platform/database/pool.ts'

/** Each has a mail address; with a topic, they watch all of it. */
export async function addPeople(
  { pool, tenantId }: { pool: Pool; tenantId: string },
  ids: string[],
  topic?: string,
): Promise<void> {
  await pool.query(
    `insert into users (tenant_id, id, email) select $1, id, id || '@example.com' from unnest($2::text[]) id`,
    [tenantId, ids],
  )
  if (topic !== undefined)
    await pool.query(
      `insert into watches (tenant_id, topic, user_id, level) select $1, $2, id, 'all' from unnest($3::text[]) id`,
      [tenantId, topic, ids],
    )
}
