/** What retention deletes from captured messages. $1 is the maximum number of rows. */

/** Messages must not outlive the record they belong to. */
export const SWEEP_CAPTURED_MESSAGES = `delete from captured_messages where ctid = any (array(
  select c.ctid from tenant_retention t
  cross join lateral (
    select x.ctid from captured_messages x
    where x.tenant_id = t.tenant_id and x.captured_at < now() - make_interval(days => t.record_retention_days)
    order by x.captured_at limit $1 for update skip locked
  ) c limit $1))`
