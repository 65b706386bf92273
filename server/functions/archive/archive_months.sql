-- The months of the archive. Its tables are changed here alone, by functions that run as their owner: the processes that
-- call them may not create or drop tables.

-- The first id of a month: ids start with their time in milliseconds.
create or replace function carillon.archive_bound(month date) returns uuid language sql immutable strict as $$
  select (lpad(to_hex((extract(epoch from date_trunc('month', month::timestamp)) * 1000)::bigint), 12, '0')
    || repeat('0', 20))::uuid
$$;

-- The month that an id is in. Ids without a plausible time have one as well, in the year 1970 or in years of five digits.
create or replace function carillon.archive_month(id uuid) returns date language sql immutable strict as $$
  select date_trunc('month', to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)
    at time zone 'UTC')::date
$$;

-- The months that have partitions, and which of them are over: nothing in them is still to be kept.
create or replace function carillon.archive_months(out month date, out is_over boolean) returns setof record
language sql stable as $$
  select m.month, m.month + interval '1 month' < now() - make_interval(days => k.longest) and not exists (
      select from carillon.tenant_retention t cross join lateral (
        select from carillon.records_archive x
        where x.tenant_id = t.tenant_id and x.accepted_at >= now() - make_interval(days => t.record_retention_days)
          and x.notification_id >= carillon.archive_bound(m.month)
          and x.notification_id < carillon.archive_bound((m.month + interval '1 month')::date)
        limit 1
      ) kept
    )
  from (
    select to_date(right(c.relname, 7), 'YYYY_MM') as month
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'carillon.records_archive'::regclass and c.relname ~ '_[0-9]{4}_[0-9]{2}$'
  ) m
  cross join (select coalesce(max(t.record_retention_days), 0) as longest from carillon.tenant_retention t) k
  order by m.month
$$;

-- Makes the months from one to another that are missing. A table that is complete is attached, which lets everybody read and
-- write the others meanwhile; only the default partition is locked, and it is nearly empty. What it has of the month moves.
-- Gives up after a moment if somebody is in the way. Processes may call it, so it makes none that records cannot be in: what
-- is asked for beyond the longest retention that a tenant may have, or beyond a year ahead, is left out. Returns how many
-- months are new.
create or replace function carillon.create_archive_months(first date, last date) returns integer language plpgsql
security definer set search_path = carillon, pg_temp set lock_timeout = '500ms' as $$
declare
  month date;
  parent text;
  part text;
  created integer := 0;
begin
  for month in
    select m::date from generate_series(
      date_trunc('month', greatest(first, (now() - interval '3650 days')::date - 31)::timestamp),
      least(last, (now() + interval '1 year')::date)::timestamp, interval '1 month'
    ) m
    where not exists (select from carillon.archive_months() a where a.month = m::date)
  loop
    -- two processes would both create it
    perform pg_advisory_xact_lock(hashtextextended('archive months', 0));
    continue when to_regclass(format('carillon.records_archive_%s', to_char(month, 'YYYY_MM'))) is not null;
    foreach parent in array array['records_archive', 'routes_archive', 'route_attempts_archive'] loop
      part := format('%s_%s', parent, to_char(month, 'YYYY_MM'));
      -- rows are written once: the first vacuum may freeze them
      execute format('create table carillon.%I (like carillon.%I including defaults including indexes)
        with (autovacuum_freeze_min_age = 0)', part, parent);
      execute format('with moved as (
          delete from carillon.%I where notification_id >= $1 and notification_id < $2 returning *
        ) insert into carillon.%I select * from moved', parent || '_default', part)
      using carillon.archive_bound(month), carillon.archive_bound((month + interval '1 month')::date);
      execute format('alter table carillon.%I attach partition carillon.%I for values from (%L) to (%L)', parent, part,
        carillon.archive_bound(month), carillon.archive_bound((month + interval '1 month')::date));
    end loop;
    created := created + 1;
  end loop;
  return created;
end
$$;

-- Drops a month that is over. It is locked before it is looked at: whoever is moving something into it has finished then, and
-- what has to be kept is seen. Returns whether it was dropped.
create or replace function carillon.drop_archive_month(month date) returns boolean language plpgsql
security definer set search_path = carillon, pg_temp set lock_timeout = '500ms' as $$
declare
  part text;
  parts text[];
begin
  if not exists (select from carillon.archive_months() a where a.month = drop_archive_month.month and a.is_over) then
    return false;
  end if;
  parts := array(select format('carillon.%I', format('%s_%s', parent, to_char(month, 'YYYY_MM')))
    from unnest(array['route_attempts_archive', 'routes_archive', 'records_archive']) parent);
  foreach part in array parts loop
    execute format('lock table %s in access exclusive mode', part);
  end loop;
  if not exists (select from carillon.archive_months() a where a.month = drop_archive_month.month and a.is_over) then
    return false;
  end if;
  foreach part in array parts loop
    execute format('drop table %s', part);
  end loop;
  return true;
end
$$;
