/** What retention deletes from webhook deliveries. $1 is the maximum number of rows. */

/** Deliveries about a notification are deleted with its record; these are the others. */
export const SWEEP_WEBHOOK_DELIVERIES = `delete from webhook_deliveries where ctid = any (array(
  select d.ctid from tenant_retention t
  cross join lateral (
    select x.ctid from webhook_deliveries x
    where x.tenant_id = t.tenant_id and x.notification_id is null
      and x.created_at < now() - make_interval(days => t.record_retention_days)
    order by x.created_at limit $1 for update skip locked
  ) d limit $1))`

/** How many events are kept for a recovery while a webhook is not active: the newest. */
const MAX_KEPT_EVENTS = 10_000

export const SWEEP_KEPT_EVENTS = `delete from webhook_deliveries where ctid = any (array(
  select d.ctid from notification_webhooks w
  cross join lateral (
    select x.ctid from webhook_deliveries x
    where x.tenant_id = w.tenant_id and x.webhook_id = w.id and not x.delivered and x.attempt_count = 0
    order by x.created_at desc, x.id desc offset ${MAX_KEPT_EVENTS} limit $1
  ) d
  where w.is_active or w.keeps_events_until is not null limit $1))`
