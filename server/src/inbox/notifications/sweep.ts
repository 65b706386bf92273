/** What retention deletes of inboxes. $1 is the most rows at once. */

/**
 * What nothing has happened to for so long; what somebody saved stays, also of what is everybody's. It is marked as gone,
 * so that clients learn of it, and deleted a week later.
 */
export const SWEEP_NOTIFICATIONS = `update notifications set deleted_at = now() where ctid = any (array(
  select d.ctid from tenants t
  cross join lateral (
    select x.ctid from notifications x
    where x.tenant_id = t.id and x.saved_at is null and x.deleted_at is null
      and x.last_event_at < now() - make_interval(days => t.inbox_retention_days)
      and not exists (select from notification_receipts r where r.notification_id = x.id and r.saved_at is not null)
    order by x.last_event_at limit $1 for update of x skip locked
  ) d limit $1))`

/** What is hidden, expired or old stays for a week: clients that were away until then learn that it is gone. */
export const SWEEP_GONE_NOTIFICATIONS = `delete from notifications where ctid = any (array(
  select ctid from notifications where deleted_at < now() - interval '7 days' order by deleted_at limit $1
  for update skip locked))`
