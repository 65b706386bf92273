/** What retention deletes of inboxes. $1 is the most rows at once. */

const JUST_UNREAD = "updated_at > now() - interval '7 days'"

/**
 * What nothing has happened to for so long; what somebody saved stays, also of what is everybody's, and so does what is
 * snoozed, which may be for longer, and for a week after it is unread again: it was to be seen once more. What goes is
 * marked, so that clients learn of it, and deleted a week later.
 */
export const SWEEP_NOTIFICATIONS = `update notifications set deleted_at = now() where ctid = any (array(
  select d.ctid from tenant_retention t
  cross join lateral (
    select x.ctid from notifications x
    where x.tenant_id = t.tenant_id and x.saved_at is null and x.deleted_at is null and x.snoozed_until is null
      and (x.is_read or not x.${JUST_UNREAD})
      and x.last_event_at < now() - make_interval(days => t.inbox_retention_days)
      and not exists (select from notification_receipts r where r.notification_id = x.id
        and (r.saved_at is not null or r.snoozed_until is not null or not r.is_read and r.${JUST_UNREAD}))
    order by x.last_event_at limit $1 for update of x skip locked
  ) d limit $1))`

/** What is hidden, expired or old stays for a week: clients that were away until then learn that it is gone. */
export const SWEEP_GONE_NOTIFICATIONS = `delete from notifications where ctid = any (array(
  select ctid from notifications where deleted_at < now() - interval '7 days' order by deleted_at limit $1
  for update skip locked))`
