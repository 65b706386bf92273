/** Cancelling routes. */
import type { CancelAnswer } from '@carillon/contract'
import type { Client } from '../../platform/database/pool.ts'

/**
 * Cancels a record's routes that are waiting or are part of a digest that is still open, and tells webhooks about each. A
 * route that is being sent cannot be stopped, but will not be retried.
 */
export async function cancelRoutes(
  tx: Client,
  tenantId: string,
  notificationId: string,
): Promise<CancelAnswer> {
  const { rows } = await tx.query<CancelAnswer>(
    `with unfinished as materialized (
       select route_id, lease_until > now() as is_leased, case when next_attempt_at is null then digest_id end as digest_id
       from routes where tenant_id = $1 and notification_id = $2 and (next_attempt_at is not null or reason = 'digested')
       for update
     ), open_digests as materialized (
       -- the lock keeps the digests from closing with routes that are cancelled here
       select id from digests where tenant_id = $1 and closed_at is null and id = any (array(select digest_id from unfinished))
       for share
     ), cancelled as (
       update routes r set status = 'cancelled', cancelled_at = now(), next_attempt_at = null, lease_owner = null,
         lease_until = null, skipped_at = null, reason = 'cancelled', updated_at = now()
       from unfinished u where r.tenant_id = $1 and r.notification_id = $2 and r.route_id = u.route_id
         and u.is_leased is not true and (u.digest_id is null or u.digest_id in (select id from open_digests))
       returning r.route_id, r.user_id, r.recipient_ref
     ), no_longer_throttled as materialized (
       select return_throttles(jsonb_agg(jsonb_build_object('tenant_id', $1::uuid, 'notification_type', rec.notification_type,
         'recipient_ref', c.recipient_ref, 'notification_id', $2::uuid, 'route_id', c.route_id)))
       from cancelled c join records rec on rec.tenant_id = $1 and rec.notification_id = $2
     ), events as materialized (
       select emit_events(jsonb_agg(jsonb_build_object('event', 'notification.cancelled', 'tenant_id', $1::uuid,
         'notification_id', $2::uuid, 'route_id', c.route_id)))
       from cancelled c where exists (select from endpoints_for($1, 'notification.cancelled', array[c.user_id]))
     )
     select (select count(*) from cancelled)::integer as cancelled,
       (select count(*) from unfinished where is_leased)::integer as in_flight,
       (select count(*) from routes where tenant_id = $1 and notification_id = $2 and next_attempt_at is null)::integer
         - (select count(*) from unfinished where digest_id in (select id from open_digests))::integer as finished
     from events cross join no_longer_throttled`,
    [tenantId, notificationId],
  )
  return rows[0]!
}
