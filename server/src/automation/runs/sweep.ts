/** What retention deletes of runs. $1 is the maximum number of rows. */

/**
 * A run whose row is still in the outbox is what keeps its effects from being stored again. It is asked for row by row: as a
 * join, the planner may read the whole outbox.
 */
export const SWEEP_RUNS = `delete from runs where ctid = any (array(
  select r.ctid from tenant_retention t
  cross join lateral (
    select x.ctid from runs x
    where x.tenant_id = t.tenant_id and x.created_at < now() - make_interval(days => t.run_retention_days)
      and (select o.id from outbox o where o.tenant_id = x.tenant_id and o.id = x.event_id) is null
    order by x.created_at limit $1 for update skip locked
  ) r limit $1))`
