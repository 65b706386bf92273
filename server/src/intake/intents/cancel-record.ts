/** Calling a record back; its routes are called back by delivery. */
import type { Client } from '../../platform/database/pool.ts'

/**
 * Marks the record. Webhooks are told of it as a whole when routes were still to come: those will never be there to tell
 * of. Answers whether there is such a record.
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
     ), told as materialized (
       select emit_events(jsonb_agg(jsonb_build_object('event', 'notification.cancelled', 'tenant_id', $1::uuid,
         'notification_id', $2::uuid)))
       from marked m where $3 and exists (select from endpoints_for($1, 'notification.cancelled', m.people))
     )
     select from marked cross join told`,
    [tenantId, notificationId, wasExpanding],
  )
  return rowCount === 1
}
