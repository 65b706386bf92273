/** What retention deletes from dead letters. $1 is the maximum number of rows. */

/** Open letters are unfinished work, so they are deleted only with their record. */
export const SWEEP_DEAD_LETTERS = `delete from dead_letters where ctid = any (array(
  select d.ctid from tenants t
  cross join lateral (
    select x.ctid from dead_letters x
    where x.tenant_id = t.id and x.resolved_at is not null
      and x.created_at < now() - make_interval(days => t.dead_letter_retention_days)
    order by x.created_at limit $1 for update skip locked
  ) d limit $1))`
