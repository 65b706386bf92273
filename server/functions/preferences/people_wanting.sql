-- Of these people, those who want messages of a category and for a reason on a channel: neither switched off by themselves,
-- nor by default where they have not chosen. A required category cannot be switched off. The gates of delivery decide alike.
create or replace function carillon.people_wanting(tenant uuid, channel text, people text[], category text, reason text)
returns text[] language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_material = off set jit = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_variable
declare
  defaults record;
begin
  if exists (select from carillon.categories k where k.tenant_id = tenant and k.category = people_wanting.category and k.required) then
    return people;
  end if;
  select d.enabled, (d.categories ->> category)::boolean as of_category, (d.reasons ->> reason)::boolean as of_reason
  into defaults from carillon.default_preferences d
  where d.tenant_id = tenant and d.channel = people_wanting.channel;
  return array(
    select p.id from unnest(people) with ordinality as p (id, place)
    left join lateral (
      select o.enabled, (o.categories ->> category)::boolean as of_category, (o.reasons ->> reason)::boolean as of_reason
      from carillon.notification_preferences o
      where o.tenant_id = tenant and o.user_id = p.id and o.channel = people_wanting.channel limit 1
    ) own on true
    where coalesce(own.enabled, defaults.enabled, true) and coalesce(own.of_category, defaults.of_category, true)
      and coalesce(own.of_reason, defaults.of_reason, true)
    order by p.place
  );
end
$$;
