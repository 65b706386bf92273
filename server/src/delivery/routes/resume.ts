/** Going on with a tenant that was suspended. */
import type { Pool } from '../../platform/database/pool.ts'

/**
 * Makes the routes due that were put off because of the suspension, oldest first. In portions, each a transaction of its
 * own: there may be as many as a tenant could queue, and if the process dies in between, the others are looked at again
 * within the time they were put off.
 */
export async function resumeRoutes(pool: Pool, tenantId: string, portion = 5000): Promise<void> {
  for (;;) {
    const { rowCount } = await pool.query(
      `update routes r set next_attempt_at = now(), updated_at = now()
       from (
         select tenant_id, notification_id, route_id from routes
         where tenant_id = $1 and reason = 'tenant_suspended' and next_attempt_at is not null
           and next_attempt_at > now() and lease_owner is null
         order by notification_id limit $2 for update skip locked
       ) w
       where r.tenant_id = w.tenant_id and r.notification_id = w.notification_id and r.route_id = w.route_id`,
      [tenantId, portion],
    )
    if (rowCount! < portion) return
  }
}
