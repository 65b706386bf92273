/** For whoever wants to see a route's message: the route as a worker would have it, live or archived, without a claim. */
import type { Route } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'
import {
  type ClaimedRoute,
  type ClaimedRow,
  ROUTE_CONTEXT,
  ROUTE_SOURCES_ANYWHERE,
  toClaimedRoute,
} from './claim.ts'

interface Shown {
  status: Route['status']
  template: Route['template']
  /** A digest that is still open has no content yet. */
  is_open_digest: boolean
}

export type RouteToShow = ClaimedRoute & Shown

const routeIn = (
  table: string,
) => `select tenant_id, notification_id, route_id, channel, priority, recipient_ref, user_id,
    resolved_address, resolved_locale, template_version_id, attempt_count, max_attempts, claim_count,
    counted_on::text as counted_on, counted_in, digest_id, unless_read, coalesce(next_attempt_at, now()) as next_attempt_at,
    status
  from ${table} where tenant_id = $1 and notification_id = $2 and route_id = $3`

export async function loadRouteForMessage(
  db: Executor,
  tenantId: string,
  notificationId: string,
  routeId: string,
): Promise<RouteToShow | undefined> {
  const { rows } = await db.query<ClaimedRow & Shown>(
    `select c.*, ${ROUTE_CONTEXT},
       (select jsonb_build_object('name', v.name, 'locale', v.locale, 'version', v.version) from template_versions v
         where v.tenant_id = c.tenant_id and v.id = c.template_version_id) as template,
       c.digest_id = c.notification_id and exists (select from digests d
         where d.tenant_id = c.tenant_id and d.id = c.digest_id and d.closed_at is null) as is_open_digest
     from (${routeIn('routes')} union all ${routeIn('routes_archive')}) c ${ROUTE_SOURCES_ANYWHERE}`,
    [tenantId, notificationId, routeId],
  )
  return rows[0] && toClaimedRoute(rows[0])
}
