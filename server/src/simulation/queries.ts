/** The routes of one record, loaded as a claim would load them, but not claimed. */
import type { Client } from '../db/pool.ts'
import {
  type ClaimedRoute,
  ROUTE_CONTEXT,
  ROUTE_SOURCES,
  type RouteRow,
  toClaimedRoute,
} from '../delivery/claim.ts'

interface Rehearsed {
  /** Set when the route was skipped as soon as it was made. */
  skip_reason: string
  /** Until send_at, by the database's clock; null without one. */
  ms_to_start: number | null
}

export type RehearsedRoute = ClaimedRoute & Rehearsed

export async function selectRoutesToRehearse(
  tx: Client,
  tenantId: string,
  notificationId: string,
): Promise<RehearsedRoute[]> {
  const { rows } = await tx.query<RouteRow & Rehearsed>(
    `select c.*, ${ROUTE_CONTEXT},
       (extract(epoch from rec.send_at - now()) * 1000)::float8 as ms_to_start
     from (
       select tenant_id, notification_id, route_id, channel, recipient_ref, user_id, resolved_address, resolved_locale,
         template_version_id,
         attempt_count + 1 as attempt_count, max_attempts, claim_count + 1 as claim_count, counted_on::text as counted_on,
         coalesce(next_attempt_at, now()) as next_attempt_at, reason as skip_reason
       from routes where tenant_id = $1 and notification_id = $2
     ) c ${ROUTE_SOURCES}
     order by c.recipient_ref, c.channel`,
    [tenantId, notificationId],
  )
  return rows.map(toClaimedRoute)
}
