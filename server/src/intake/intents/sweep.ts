/** What retention deletes from intake. $1 is the maximum number of rows. */

/**
 * A record is deleted only when all its routes are finished and none is waiting in an open digest. Its routes, attempts
 * and dead letters are deleted with it.
 */
export const SWEEP_RECORDS = `delete from records where ctid = any (array(
  select r.ctid from tenant_retention t
  cross join lateral (
    select x.ctid from records x
    where x.tenant_id = t.tenant_id and x.accepted_at < now() - make_interval(days => t.record_retention_days)
      and x.expanded_at is not null
      and not exists (select from routes o where o.tenant_id = x.tenant_id and o.notification_id = x.notification_id
        and (o.next_attempt_at is not null or (o.reason = 'digested' and exists (
          select from digests g where g.tenant_id = o.tenant_id and g.id = o.digest_id and g.closed_at is null))))
    order by x.accepted_at limit $1 for update skip locked
  ) r limit $1))`

/** Those in the archive that do not go with their month. */
export const SWEEP_ARCHIVED_RECORDS = 'select from sweep_archived_records($1)'

export const SWEEP_MALFORMED_INTENTS = `delete from malformed_intents where ctid = any (array(
  select m.ctid from tenant_retention t
  cross join lateral (
    select x.ctid from malformed_intents x
    where x.tenant_id = t.tenant_id and x.recorded_at < now() - make_interval(days => t.malformed_retention_days)
    order by x.recorded_at limit $1 for update skip locked
  ) m limit $1))`
