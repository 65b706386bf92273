-- Moves finished records of a tenant past their hot time to the archive, with all their routes and attempts, in the
-- caller's transaction. It looks at the next `most_records` after the one named and moves those that nothing needs any more,
-- until they have `most_routes` routes together. It never waits: a record or route that somebody has locked is left for the
-- next time. A record stays while
--   it is being expanded, or another record of its event is: who was told already is read from the routes;
--   its idempotency key protects;
--   one of its routes is open, or was changed within two days: receipts and most reports about it come within that time;
--   one of its routes is part of an open digest, or has an open dead letter, which can be replayed.
-- Attachments are not moved, as nothing sends them any more: they are deleted with the record. Returns how many records it
-- looked at and moved, with how many routes, and the last that it looked at.
create or replace function carillon.archive_records(
  tenant uuid, after_time timestamptz, after_id uuid, most_records integer, most_routes integer,
  out looked_at integer, out records integer, out routes integer, out last_time timestamptz, out last_id uuid
) language plpgsql
-- Nested loops over indexes, whatever the estimates: the tables are large and the batch is small.
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
#variable_conflict use_column
declare
  candidates uuid[];
  free uuid[];
begin
  -- the last of them may have any number of routes
  select count(*), array_agg(c.notification_id), max(c.accepted_at),
    (array_agg(c.notification_id order by c.accepted_at desc, c.notification_id desc))[1]
  into looked_at, candidates, last_time, last_id
  from (
    select x.accepted_at, x.notification_id,
      coalesce(sum(x.routes) over (order by x.accepted_at, x.notification_id rows between unbounded preceding and 1 preceding), 0) as before
    from (
      select r.accepted_at, r.notification_id, n.routes from (
        select x.accepted_at, x.notification_id from carillon.records x
        join carillon.tenant_retention k on k.tenant_id = x.tenant_id
        where x.tenant_id = tenant and x.accepted_at < now() - make_interval(days => k.record_hot_days)
          and (x.accepted_at, x.notification_id) > (after_time, after_id)
        order by x.accepted_at, x.notification_id limit most_records
      ) r
      cross join lateral (
        select count(*) as routes from (
          select from carillon.routes o where o.tenant_id = tenant and o.notification_id = r.notification_id
          limit most_routes
        ) counted
      ) n
    ) x
  ) c
  where c.before < most_routes;

  free := array(
    select r.notification_id from carillon.records r
    where r.tenant_id = tenant and r.notification_id = any (candidates)
      and r.expanded_at is not null and (r.idempotency_released_at is not null or r.idempotency_expires_at < now())
      and (r.event_id is null or not exists (select from carillon.records e
        where e.tenant_id = tenant and e.event_id = r.event_id and e.expanded_at is null))
      and not exists (select from carillon.routes o
        where o.tenant_id = tenant and o.notification_id = r.notification_id
          and (o.next_attempt_at is not null or o.updated_at > now() - interval '2 days'
            or o.reason = 'digested' and exists (select from carillon.digests g
              where g.tenant_id = tenant and g.id = o.digest_id and g.closed_at is null)))
      and not exists (select from carillon.dead_letters d
        where d.tenant_id = tenant and d.notification_id = r.notification_id and d.resolved_at is null)
    for update skip locked
  );
  -- A person who is deleted takes their routes along, and may hold some of these.
  free := array(
    select f.id from unnest(free) as f (id)
    cross join lateral (
      select count(*) as count from (
        select from carillon.routes o where o.tenant_id = tenant and o.notification_id = f.id
        for update skip locked
      ) one
    ) locked
    where locked.count = (
      select count(*) from carillon.routes o where o.tenant_id = tenant and o.notification_id = f.id
    )
  );
  routes := carillon.archive_routes(tenant, free);
  with moved as (
    delete from carillon.records r where r.tenant_id = tenant and r.notification_id = any (free) returning r.*
  )
  insert into carillon.records_archive select * from moved;
  get diagnostics records = row_count;
end
$$;

-- Deletes up to `most` archived records that are past their tenant's retention, and their routes and attempts with them.
-- Those of tenants with the longest retention go with their month instead, as a whole partition; only what is in no month
-- goes one by one. Returns their ids.
create or replace function carillon.sweep_archived_records(most integer) returns setof uuid language plpgsql
set enable_seqscan = off set jit = off as $$
declare
  old record;
begin
  for old in
    select t.tenant_id as tenant, array_agg(r.notification_id) as ids
    from (select x.*, max(x.record_retention_days) over () as longest from carillon.tenant_retention x) t
    cross join lateral (
      (
        select x.notification_id from carillon.records_archive x
        where t.record_retention_days < t.longest and x.tenant_id = t.tenant_id
          and x.accepted_at < now() - make_interval(days => t.record_retention_days)
        order by x.accepted_at limit most
      )
      union all
      (
        select x.notification_id from carillon.records_archive_default x
        where t.record_retention_days = t.longest and x.tenant_id = t.tenant_id
          and x.accepted_at < now() - make_interval(days => t.record_retention_days)
        order by x.accepted_at limit most
      )
    ) r
    group by t.tenant_id
  loop
    -- skipping what somebody has locked, such as another process that sweeps
    return query delete from carillon.records_archive a
    where a.tenant_id = old.tenant and a.notification_id = any (array(
      select r.notification_id from carillon.records_archive r
      where r.tenant_id = old.tenant and r.notification_id = any (old.ids) for update skip locked
    ))
    returning a.notification_id;
  end loop;
end
$$;

-- Archived records are deleted with their tenant, as a foreign key would do, but once per statement.
create or replace function carillon.delete_archive_of_tenants() returns trigger language plpgsql as $$
begin
  delete from carillon.records_archive r using gone g where r.tenant_id = g.id;
  return null;
end
$$;
create or replace trigger delete_archive after delete on carillon.tenants referencing old table as gone
for each statement execute function carillon.delete_archive_of_tenants();
