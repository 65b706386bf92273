-- Lets people watch a topic because they joined it or took part. A watch that they have, at whatever level, stays.
create or replace function carillon.watch_automatically(tenant uuid, topic text, people text[], level text) returns void
language plpgsql set enable_seqscan = off as $$
#variable_conflict use_column
begin
  insert into carillon.watches (tenant_id, topic, user_id, level, is_automatic)
  select tenant, watch_automatically.topic, person, watch_automatically.level, true from unnest(people) as person
  order by person
  on conflict (tenant_id, topic, user_id) do nothing;
end
$$;
