/** Extending and releasing the leases of claimed routes. */
import type { Pool } from '../../platform/database/pool.ts'
import type { ClaimedRoute } from './claim.ts'

/**
 * Keeps routes that are still being worked on claimed for the length of another lease. One that is locked is being
 * completed or cancelled: waiting for it could be a deadlock, and the next extension comes soon enough.
 */
export async function extendLeases(
  pool: Pool,
  routes: Pick<ClaimedRoute, 'tenant_id' | 'notification_id' | 'route_id' | 'claim_count'>[],
  owner: string,
  leaseSeconds: number,
): Promise<void> {
  await pool.query(
    `with claimed as materialized (
       select r.tenant_id, r.notification_id, r.route_id
       from unnest($1::uuid[], $2::uuid[], $3::text[], $4::integer[]) as k (tenant_id, notification_id, route_id, claim_count)
       cross join lateral (
         select * from routes r
         where r.tenant_id = k.tenant_id and r.notification_id = k.notification_id and r.route_id = k.route_id
           and r.lease_owner = $5 and r.claim_count = k.claim_count
         for update skip locked
       ) r
     )
     update routes r set lease_until = now() + make_interval(secs => $6)
     from claimed c
     where r.tenant_id = c.tenant_id and r.notification_id = c.notification_id and r.route_id = c.route_id`,
    [
      routes.map(route => route.tenant_id),
      routes.map(route => route.notification_id),
      routes.map(route => route.route_id),
      routes.map(route => route.claim_count),
      owner,
      leaseSeconds,
    ],
  )
}

/** For a shutdown that cannot wait any longer: another worker can take over at once, without waiting for the lease to end. */
export async function releaseLeases(pool: Pool, owner: string): Promise<number> {
  const { rowCount } = await pool.query(
    `with released as (
       update routes set lease_owner = null, lease_until = null, updated_at = now() where lease_owner = $1
         and next_attempt_at is not null
       returning tenant_id, notification_id, route_id, claim_count
     )
     insert into route_attempts (tenant_id, notification_id, route_id, attempt_no, outcome, worker, message, started_at)
     select tenant_id, notification_id, route_id, claim_count, 'lost', $1,
       'The worker stopped before the provider answered and gave the route back.', now()
     from released on conflict do nothing`,
    [owner],
  )
  return rowCount ?? 0
}
