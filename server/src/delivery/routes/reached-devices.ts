/** The devices that an earlier attempt of a push has reached. */
import type { Client, Pool } from '../../platform/database/pool.ts'
import type { ClaimedRoute } from './claim.ts'

export async function selectReachedDevices(
  db: Pool | Client,
  route: Pick<ClaimedRoute, 'tenant_id' | 'notification_id' | 'route_id'>,
): Promise<string[]> {
  const { rows } = await db.query<{ reached_devices: string[] | null }>(
    'select reached_devices from routes where tenant_id = $1 and notification_id = $2 and route_id = $3',
    [route.tenant_id, route.notification_id, route.route_id],
  )
  return rows[0]?.reached_devices ?? []
}
