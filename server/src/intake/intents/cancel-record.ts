/** Cancelling a record; delivery cancels its routes. */
import type { Client } from '../../platform/database/pool.ts'

/**
 * Marks the record as cancelled and returns whether it exists. If its routes were still being created, webhooks get one
 * event for the whole record, because the missing routes will have no events of their own.
 */
export async function cancelRecord(
  tx: Client,
  tenantId: string,
  notificationId: string,
  wasExpanding: boolean,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `with marked as (
       update records set cancelled_at = coalesce(cancelled_at, now()), expanded_at = coalesce(expanded_at, now()),
         updated_at = now()
       where tenant_id = $1 and notification_id = $2
       returning case audience_kind when 'users' then recipients end as people
     ), emitted as materialized (
       select emit_events(jsonb_agg(jsonb_build_object('event', 'notification.cancelled', 'tenant_id', $1::uuid,
         'notification_id', $2::uuid)))
       from marked m where $3 and exists (select from endpoints_for($1, 'notification.cancelled', m.people))
     )
     select from marked cross join emitted`,
    [tenantId, notificationId, wasExpanding],
  )
  return rowCount === 1
}
