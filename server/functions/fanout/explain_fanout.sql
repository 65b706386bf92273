-- What an event means for the next people in any relation to it, also one that has no rule, by the rules and choices of now;
-- with `until` the same as `after`, for that person alone. `relation` is the one that decides, of their `relations`.
-- `channels` are those on which they are told, with those of the type's escalations.
create or replace function carillon.explain_fanout(
  tenant uuid, event_id uuid, after text, until text, most integer, visible text[] default null
) returns table (user_id text, relations text[], relation text, outcome text, channels text[]) language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_material = off set jit = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  e carillon.domain_events;
  place record;
  rules jsonb;
  names text[];
  found_users text[];
  found_bits bigint[];
begin
  select d.* into e from carillon.domain_events d where d.tenant_id = tenant and d.event_id = explain_fanout.event_id;
  place := carillon.event_scope(tenant, event_id);
  if place.is_gone then
    return;
  end if;
  select jsonb_agg(to_jsonb(r)) into rules from (select r.* from carillon.rules_for(tenant, e.kind) r limit 60) r;
  -- Bits are those of a bigint. What no rule names comes last, and only to be shown.
  names := array(select n.name from (
    select r.rule ->> 'relation', r.place from jsonb_array_elements(rules) with ordinality as r (rule, place)
    union all select o.name, 1000 + o.priority from carillon.relations o where o.tenant_id = tenant
    union all select b.name, 1000 + b.priority from carillon.builtin_relations() b
    union all select k, 3000 from jsonb_object_keys(e.relations) k
  ) as n (name, place) group by n.name order by min(n.place), n.name limit 62);
  select array_agg(p.user_id order by p.user_id), array_agg(p.bits order by p.user_id) into found_users, found_bits
  from carillon.event_people(tenant, event_id, place.topic, names, after, until, most) p;

  return query
  with decided as materialized (
    select p.user_id, p.bits, p.place, case when u.id is null then 'unknown_user' else d.outcome end as outcome,
      case when d.rule_bit <> 0 then rules -> (ln(d.rule_bit) / ln(2))::integer end as rule
    from unnest(found_users, found_bits) with ordinality as p (user_id, bits, place)
    join carillon.fanout_decisions(
      tenant, event_id, place.topic, place.members_only, rules, found_users, found_bits, visible
    ) d on d.user_id = p.user_id
    left join lateral (select u.id from carillon.users u where u.tenant_id = tenant and u.id = p.user_id limit 1) u on true
  ), told as (
    -- one row per rule, as tell_people() goes by it
    select t.rule, y.escalate, k.channels,
      case when 'in_app' = any (k.channels)
        then carillon.people_wanting(tenant, 'in_app', t.people, y.category, t.rule ->> 'reason') end as wanting
    from (select d.rule, array_agg(d.user_id) as people from decided d where d.outcome = 'told' group by d.rule) t
    left join carillon.notification_types y on y.tenant_id = tenant and y.name = t.rule ->> 'notification_type'
    cross join lateral (
      select array(select c from jsonb_array_elements_text(t.rule -> 'channels') c
        where y.channels is null or c = any (y.channels)) as channels
    ) k
  )
  select d.user_id,
    array(select n.name from unnest(names) with ordinality as n (name, place) where d.bits >> n.place::integer - 1 & 1 = 1),
    d.rule ->> 'relation',
    case
      when d.outcome <> 'told' or got.channels <> '{}' then d.outcome
      when t.channels = '{}' then 'no_channel'
      else 'in_app_off'
    end,
    coalesce(got.channels, '{}')
  from decided d
  left join told t on d.outcome = 'told' and t.rule = d.rule
  left join lateral (
    select case when t.channels = '{}' then '{}' else
      array(select c from unnest(t.channels) c where c <> 'in_app' or d.user_id = any (t.wanting))
      || array(select s ->> 'channel' from jsonb_array_elements(t.escalate) s where s ->> 'channel' <> all (t.channels))
    end as channels
    where t.rule is not null
  ) got on true
  order by d.place;
end
$$;
