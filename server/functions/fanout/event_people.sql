-- The next people who stand in one of these relations to an event, in the order of their ids, with the relations as bits:
-- the first of the list is the lowest. Every source gives its own first `most`, from an index that has that order, so that a
-- topic with a hundred thousand watchers is never read as a whole. People may subscribe and watch, but cannot be made to.
-- With `until` the same as `after`, that person alone.
create or replace function carillon.event_people(
  tenant uuid, event_id uuid, topic text, relations text[], after text, until text, most integer
) returns table (user_id text, bits bigint) language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_material = off set jit = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  e carillon.domain_events;
  is_watched constant boolean := topic is not null and 'watching' = any (relations);
  is_owned constant boolean := topic is not null and 'owner' = any (relations);
  is_one constant boolean := coalesce(until = after, false);
  is_followed boolean;
begin
  select d.* into e from carillon.domain_events d where d.tenant_id = tenant and d.event_id = event_people.event_id;
  is_followed := e.thread_id is not null and 'subscribed' = any (relations);
  return query
  select f.user_id, bit_or(1::bigint << (array_position(relations, f.relation) - 1))
  from (
    select person.id, r.name from jsonb_each(e.relations) as r (name, people)
    cross join lateral jsonb_array_elements_text(r.people) as person (id)
    where r.name = any (relations) and r.name not in ('subscribed', 'watching')
      and person.id >= after and (is_one or person.id > after and (until is null or person.id <= until))
    union all
    select t.author_id, 'author' from carillon.threads t
    where t.tenant_id = tenant and t.kind = e.thread_kind and t.id = e.thread_id and 'author' = any (relations)
      and t.author_id >= after and (is_one or t.author_id > after and (until is null or t.author_id <= until))
    union all
    select p.user_id, p.relation from carillon.thread_participants p
    where p.tenant_id = tenant and p.thread_kind = e.thread_kind and p.thread_id = e.thread_id
      and p.relation = any (relations)
      and p.user_id >= after and (is_one or p.user_id > after and (until is null or p.user_id <= until))
    union all
    (select s.user_id, 'subscribed' from carillon.notification_threads s
      where is_followed and s.tenant_id = tenant and s.thread_kind = e.thread_kind and s.thread_id = e.thread_id
        and s.user_id >= after and (is_one or s.user_id > after and (until is null or s.user_id <= until))
        -- one that this event made, or a later one, is no reason to be told of it
        and s.subscribed and (s.source_event_id is null or s.source_event_id < e.id)
      order by s.user_id limit most)
    union all
    (select w.user_id, 'watching' from carillon.watches w
      where is_watched and w.tenant_id = tenant and w.topic = event_people.topic
        and w.user_id >= after and (is_one or w.user_id > after and (until is null or w.user_id <= until))
        and (w.level = 'all' or w.kinds <> '{}') and (w.level = 'all' or w.level <> 'ignore' and e.kind = any (w.kinds))
      order by w.user_id limit most)
    union all
    (select m.user_id, 'owner' from carillon.topic_members m
      where is_owned and m.tenant_id = tenant and m.topic = event_people.topic and m.role = 'owner'
        and m.user_id >= after and (is_one or m.user_id > after and (until is null or m.user_id <= until))
      order by m.user_id limit most)
  ) as f (user_id, relation)
  where not is_one or f.user_id = after
  group by f.user_id
  order by f.user_id
  limit most;
end
$$;
