/** What retention deletes of webhook deliveries. $1 is the most at once. */

/** Those of a notification go with its record; these have none. */
export const SWEEP_WEBHOOK_DELIVERIES = `delete from webhook_deliveries where ctid = any (array(
  select d.ctid from tenants t
  cross join lateral (
    select x.ctid from webhook_deliveries x
    where x.tenant_id = t.id and x.notification_id is null
      and x.created_at < now() - make_interval(days => t.record_retention_days)
    order by x.created_at limit $1 for update skip locked
  ) d limit $1))`
