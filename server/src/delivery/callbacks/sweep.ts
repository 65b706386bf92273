/** What retention deletes of callbacks. $1 is the maximum number of rows. */

/** Their ids are needed only as long as a signature is fresh. */
export const SWEEP_IGNORED_CALLBACKS = `delete from provider_callbacks where ctid = any (array(
  select x.ctid from provider_callbacks x where x.kind = 'ignored' and x.received_at < now() - interval '1 day'
  order by x.received_at limit $1 for update skip locked))`

/** About messages whose record is unknown, archived or gone: nothing else would ever delete them. */
export const SWEEP_UNRELATED_CALLBACKS = `delete from provider_callbacks where ctid = any (array(
  select c.ctid from tenant_retention t
  cross join lateral (
    select x.ctid from provider_callbacks x
    where x.tenant_id = t.tenant_id and x.notification_id is null
      and x.received_at < now() - make_interval(days => t.record_retention_days)
    order by x.received_at limit $1 for update skip locked
  ) c limit $1))`
