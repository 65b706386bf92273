-- Gives a tenant's events their place in its log: the next numbers, in the order in which they were written, to at most
-- `most` of those that have been committed. One that commits later gets a later place, so a reader that goes by place
-- misses none and waits for nobody's open transaction. The topics and threads that they name exist from then on.
-- Returns how many got a place; null while another process is at it.
create or replace function carillon.order_events(tenant uuid, most integer) returns integer language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set jit = off set plan_cache_mode = force_generic_plan as $$
declare
  head bigint;
  batch uuid[];
begin
  if not pg_try_advisory_xact_lock(hashtextextended(format('order events %s', tenant), 0)) then
    return null;
  end if;
  -- Statements of their own: each sees what whoever had the lock before has committed.
  head := carillon.event_log_head(tenant);
  select array_agg(w.event_id order by w.seq) into batch from (
    select d.event_id, d.seq from carillon.domain_events d
    where d.tenant_id = tenant and d.id is null order by d.seq limit most
  ) w;
  if batch is null then
    return 0;
  end if;
  perform carillon.ensure_places_of_events(tenant, batch);
  update carillon.domain_events d set id = head + b.place
  from unnest(batch) with ordinality as b (event_id, place)
  where d.tenant_id = tenant and d.event_id = b.event_id;
  perform carillon.move_event_head(tenant, head + cardinality(batch));
  return cardinality(batch);
end
$$;

-- Makes the topics and threads that events name, in the order of the events.
create or replace function carillon.ensure_places_of_events(tenant uuid, batch uuid[]) returns void language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set jit = off set plan_cache_mode = force_generic_plan as $$
declare
  named jsonb;
begin
  select jsonb_agg(jsonb_build_object('tenant_id', tenant, 'topic', d.topic)) into named
  from (
    select distinct d.topic from unnest(batch) as b (event_id)
    join carillon.domain_events d on d.tenant_id = tenant and d.event_id = b.event_id where d.topic is not null
  ) d;
  perform carillon.ensure_topics(named);
  select jsonb_agg(jsonb_build_object('tenant_id', tenant, 'kind', d.thread_kind, 'id', d.thread_id, 'topic', d.topic,
    'title', d.thread_title, 'url', d.thread_url, 'author_id', d.thread_author_id) order by b.place) into named
  from unnest(batch) with ordinality as b (event_id, place)
  join carillon.domain_events d on d.tenant_id = tenant and d.event_id = b.event_id where d.thread_id is not null;
  perform carillon.ensure_threads(named);
end
$$;

-- Gives one event a place far beyond the end of the log, for a simulation: its transaction is rolled back, and nobody who
-- puts events in order waits for it. Whatever was emitted before and has not been read by consumers yet is left out of account.
create or replace function carillon.place_simulated_event(tenant uuid, event_id uuid) returns bigint language plpgsql
set enable_seqscan = off as $$
declare
  place constant bigint := 4e18::bigint + (random() * 1e18)::bigint;
begin
  perform carillon.ensure_places_of_events(tenant, array[event_id]);
  update carillon.domain_events d set id = place
  where d.tenant_id = tenant and d.event_id = place_simulated_event.event_id;
  return place;
end
$$;
