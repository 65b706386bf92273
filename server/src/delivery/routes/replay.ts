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

/** Changes where a route is sent to. Returns where that was before. */
export async function readdressRoute(
  tx: Client,
  tenantId: string,
  { notification_id, route_id }: DeadRoute,
  address: string,
): Promise<string> {
  const { rows } = await tx.query<{ address_before: string }>(
    `update routes r set resolved_address = $4, updated_at = now()
     from (
       select resolved_address from routes where tenant_id = $1 and notification_id = $2 and route_id = $3 for update
     ) old
     where r.tenant_id = $1 and r.notification_id = $2 and r.route_id = $3
     returning old.resolved_address as address_before`,
    [tenantId, notification_id, route_id, address],
  )
  return rows[0]!.address_before
}
