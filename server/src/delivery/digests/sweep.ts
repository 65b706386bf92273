/** What retention deletes from digests. $1 is the maximum number of rows. */

/** A digest that never got an item stays open until the next notification, if there is one: those go by closes_at. */
export const SWEEP_DIGESTS = `delete from digests where ctid = any (array(
  select d.ctid from tenant_retention t
  cross join lateral (
    select x.ctid from digests x
    where x.tenant_id = t.tenant_id and x.created_at < now() - make_interval(days => t.record_retention_days)
      and (x.closed_at is not null or x.closes_at < now() - make_interval(days => t.record_retention_days))
    order by x.created_at limit $1 for update skip locked
  ) d limit $1))`
