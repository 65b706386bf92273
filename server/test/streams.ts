/** Streams as the processes that read them report them. */
import type { Pool } from '../src/platform/database/pool.ts'

export async function addStream(pool: Pool, tenantId: string, name: string): Promise<void> {
  await pool.query(
    `insert into streams (tenant_id, name, kind, place, group_name, last_read_at, waiting, oldest_at)
     values ($1, $2, 'redis', 'intents', 'carillon', now(), 7, now()) on conflict do nothing`,
    [tenantId, name],
  )
}
