-- What an event means for people who stand in a relation to it: `told` by the rule whose `rule_bit` it is, or why
-- not. fan_out() does what it says; explanations and simulations say what it does. `bits` belong to `users` and are those of
-- event_people(), where the relations of `rules` come first. Whether somebody exists is not asked here: whoever tells people
-- has to lock them.
create or replace function carillon.fanout_decisions(
  tenant uuid, event_id uuid, topic text, members_only boolean, rules jsonb, users text[], bits bigint[], visible text[]
) returns table (user_id text, rule_bit bigint, outcome text) language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_material = off set jit = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  e carillon.domain_events;
  ruled constant bigint := (1::bigint << coalesce(jsonb_array_length(rules), 0)) - 1;
  passing bigint;
  watching bigint;
  home text;
begin
  select d.* into e from carillon.domain_events d where d.tenant_id = tenant and d.event_id = fanout_decisions.event_id;
  select coalesce(bit_or(1::bigint << r.place::integer - 1) filter (where (r.rule ->> 'passes_mute')::boolean), 0),
    coalesce(bit_or(1::bigint << r.place::integer - 1) filter (where r.rule ->> 'relation' = 'watching'), 0)
  into passing, watching
  from jsonb_array_elements(rules) with ordinality as r (rule, place);

  -- A thread that is in another topic, such as one that it was moved to since, shows what only members of that may see.
  select h.topic into home from carillon.threads h
  where h.tenant_id = tenant and h.kind = e.thread_kind and h.id = e.thread_id and h.topic <> fanout_decisions.topic
    and (select t.visibility from carillon.topics t where t.tenant_id = tenant and t.topic = h.topic) = 'private';

  return query
  select p.user_id, chosen.bit, case
    when p.bits & ruled = 0 then 'no_rule'
    when p.user_id = e.actor_id then 'actor'
    when chosen.bit = 0 then case when choice.subscribed = false then 'unsubscribed' else 'ignores_topic' end
    when members_only and not exists (
      select from carillon.topic_members m
      where m.tenant_id = tenant and m.topic = fanout_decisions.topic and m.user_id = p.user_id) then 'not_member'
    when home is not null and not exists (
      select from carillon.topic_members m
      where m.tenant_id = tenant and m.topic = home and m.user_id = p.user_id) then 'not_member'
    when visible is not null and p.user_id <> all (visible) then 'not_visible'
    else 'told'
  end
  from unnest(users, bits) as p (user_id, bits)
  left join lateral (
    select s.subscribed, s.reason from carillon.notification_threads s
    where s.tenant_id = tenant and s.user_id = p.user_id and s.thread_kind = e.thread_kind and s.thread_id = e.thread_id
      and (s.source_event_id is null or s.source_event_id < e.id)
    limit 1
  ) choice on true
  -- whoever was found because they watch does not ignore the topic
  left join lateral (
    select w.level from carillon.watches w
    where p.bits & watching = 0 and w.tenant_id = tenant and w.topic = fanout_decisions.topic and w.user_id = p.user_id
    limit 1
  ) watch on true
  cross join lateral (
    select p.bits & ruled & case
      when choice.subscribed = false then passing
      when choice.subscribed and choice.reason = 'manual' then -1
      when watch.level = 'ignore' then passing
      else -1
    end as bits
  ) reached
  -- the lowest bit: the first relation that reaches the person
  cross join lateral (select reached.bits & -reached.bits as bit) chosen;
end
$$;
