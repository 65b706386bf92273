-- Tells the next `most` people of an event, after the one named: who stands in which relation to it, which rule that gives
-- them, whether they muted it and may see it; then inbox rows, and a record with routes for the other channels. All in the
-- caller's transaction, which moves the consumer's cursor. An event that somebody was told of is over when it comes again;
-- one that nobody was told of is looked at anew, as its rules may have been missing.
--   visible    of those up to `until`, the ones who may see it, if the tenant's own server was asked; null = it was not
--   until      null = there is nobody after them
--   is_repeat  what the call for the first people answered; null = these are the first
-- Returns the last person looked at, how many were told, who they are if they are few, how many routes there are now, and
-- whether that was everybody.
create or replace function carillon.fan_out(
  tenant uuid, event_id uuid, after text, most integer, visible text[] default null, until text default null,
  is_repeat boolean default null,
  out last_user text, out people integer, out routes integer, out is_done boolean, out was_repeat boolean,
  out told text[]
) language plpgsql
-- Nested loops over indexes, whatever the estimates: a hash or merge join would read whole tables, slower with every row.
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_material = off set jit = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  e carillon.domain_events;
  place record;
  rules jsonb;
  relations text[];
  found_users text[];
  found_bits bigint[];
  part record;
  is_over boolean;
begin
  last_user := after;
  people := 0;
  told := '{}';
  routes := 0;
  is_done := true;
  select d.* into e from carillon.domain_events d where d.tenant_id = tenant and d.event_id = fan_out.event_id;
  place := carillon.event_scope(tenant, event_id);
  -- bits are those of a bigint
  select jsonb_agg(to_jsonb(r) order by r.place), array_agg(r.relation order by r.place) into rules, relations
  from (
    select r.*, row_number() over () as place from carillon.rules_for(tenant, e.kind) r limit 60
  ) r;
  if place.is_gone or rules is null then
    return;
  end if;
  was_repeat := is_repeat;
  if is_repeat is null then
    -- Whoever has changed their mind since must not be told of what is over. A large event that ended as a dead letter in
    -- the middle is the exception: the rest of its people follow.
    select count(*) > 0, coalesce(bool_and(r.expanded_at is not null), false) into was_repeat, is_over
    from carillon.records r where r.tenant_id = tenant and r.event_id = fan_out.event_id;
    -- Records are archived only when all of their event are expanded. Their ids have the time of the event's, so this reads
    -- one month; and nothing is archived before it is a day old.
    if not was_repeat and e.created_at < now() - interval '1 day' then
      is_over := exists (select from carillon.records_archive r
        where r.tenant_id = tenant and r.event_id = fan_out.event_id
          and r.notification_id >= overlay(event_id::text placing '-0000-0000-000000000000' from 14)::uuid
          and r.notification_id <= overlay(event_id::text placing '-ffff-ffff-ffffffffffff' from 14)::uuid);
    end if;
    if is_over then
      return;
    end if;
  end if;

  select array_agg(p.user_id order by p.user_id), array_agg(p.bits order by p.user_id) into found_users, found_bits
  from carillon.event_people(tenant, event_id, place.topic, relations, after, until, most) p;
  if found_users is not null then
    last_user := found_users[cardinality(found_users)];
    is_done := cardinality(found_users) < most;
  end if;
  if is_done and until is not null then
    -- those who come after them have not been asked about
    last_user := until;
    is_done := false;
  end if;
  if not was_repeat and after = '' then
    perform carillon.involve_actor(tenant, event_id, place.topic, place.members_only);
  end if;

  for part in
    select d.rule_bit as bit, array_agg(d.user_id order by d.user_id) as users
    from carillon.fanout_decisions(
      tenant, event_id, place.topic, place.members_only, rules, found_users, found_bits, visible
    ) d
    -- The lock makes a deletion of the user wait until the rows exist and are deleted with it.
    cross join lateral (
      select from carillon.users u where u.tenant_id = tenant and u.id = d.user_id limit 1 for key share
    ) known
    where d.outcome = 'told'
    group by d.rule_bit
    order by d.rule_bit
  loop
    people := people + cardinality(part.users);
    told := case when people <= 200 then told || part.users end;
    routes := routes + carillon.tell_people(
      tenant, event_id, rules -> (ln(part.bit) / ln(2))::integer, to_jsonb(place), part.users,
      is_done, not is_done or after <> '' or cardinality(part.users) > 100, was_repeat
    );
  end loop;
  if is_done and (after <> '' or was_repeat) then
    perform carillon.mark_event_expanded(tenant, event_id);
  end if;
end
$$;
