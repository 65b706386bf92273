/** What retention deletes from webhook deliveries. $1 is the maximum number of rows. */

/** Deliveries about a notification are deleted with its record; these are the others. */
export const SWEEP_WEBHOOK_DELIVERIES = `delete from webhook_deliveries where ctid = any (array(
  select d.ctid from tenants t
  cross join lateral (
    select x.ctid from webhook_deliveries x
    where x.tenant_id = t.id and x.notification_id is null
      and x.created_at < now() - make_interval(days => t.record_retention_days)
    order by x.created_at limit $1 for update skip locked
  ) d limit $1))`
