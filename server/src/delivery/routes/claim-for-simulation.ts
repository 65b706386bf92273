/** For simulation: claims and loads the routes of one record as a worker would, however far off their time is. */
import type { Client } from '../../platform/database/pool.ts'
import { type ClaimedRoute, type ClaimedRow, ROUTE_CONTEXT, ROUTE_SOURCES, toClaimedRoute } from './claim.ts'

interface BeforeClaim {
  /** false if the route was skipped as soon as it was created. */
  has_address: boolean
}

export type RouteToSimulate = ClaimedRoute & BeforeClaim

export async function claimForSimulation(
  tx: Client,
  tenantId: string,
  notificationId: string,
  owner: string,
): Promise<RouteToSimulate[]> {
  await tx.query(
    `update routes set lease_owner = $3, lease_until = now() + interval '1 minute', claim_count = claim_count + 1,
       attempt_count = attempt_count + 1
     where tenant_id = $1 and notification_id = $2 and next_attempt_at is not null`,
    [tenantId, notificationId, owner],
  )
  const { rows } = await tx.query<ClaimedRow & BeforeClaim>(
    `select c.*, ${ROUTE_CONTEXT}
     from (
       select tenant_id, notification_id, route_id, channel, priority, recipient_ref, user_id, resolved_address, resolved_locale,
         template_version_id,
         attempt_count, max_attempts, claim_count, counted_on::text as counted_on, counted_in, digest_id, unless_read,
         coalesce(next_attempt_at, now()) as next_attempt_at, reason <> 'no_address' as has_address
       from routes where tenant_id = $1 and notification_id = $2
     ) c ${ROUTE_SOURCES}
     order by c.recipient_ref, c.channel`,
    [tenantId, notificationId],
  )
  return rows.map(toClaimedRoute)
}
