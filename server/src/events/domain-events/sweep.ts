/** What retention deletes of events. $1 is the maximum number of rows. */

/** Only what every consumer has read; one that is stuck keeps what it has still to read. */
export const SWEEP_DOMAIN_EVENTS = `delete from domain_events where ctid = any (array(
  select e.ctid from tenant_retention t
  cross join lateral (
    select min(p.last_event_id) as id from domain_events_processed p where p.tenant_id = t.tenant_id
  ) last_read
  cross join lateral (
    select x.ctid from domain_events x
    where x.tenant_id = t.tenant_id and x.created_at < now() - make_interval(days => t.event_retention_days)
      and x.id <= last_read.id
    order by x.created_at limit $1 for update skip locked
  ) e limit $1))`
