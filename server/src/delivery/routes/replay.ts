/** Giving dead routes another chance. */
import type { Client } from '../../platform/database/pool.ts'

export interface DeadRoute {
  notification_id: string
  route_id: string
}

/** Makes them due now, with a fresh budget and their last error cleared; the attempts stay. Only dead routes are changed. */
export async function replayRoutes(tx: Client, tenantId: string, dead: DeadRoute[]): Promise<void> {
  await tx.query(
    `update routes r set status = 'pending', dead_at = null, next_attempt_at = now(), attempt_count = 0, reason = '',
       last_error_classification = '', last_error_message = '', last_error_at = null, updated_at = now()
     from unnest($2::uuid[], $3::text[]) as d (notification_id, route_id)
     where r.tenant_id = $1 and r.notification_id = d.notification_id and r.route_id = d.route_id and r.status = 'dead'`,
    [tenantId, dead.map(route => route.notification_id), dead.map(route => route.route_id)],
  )
}
