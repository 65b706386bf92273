-- Creates the topics that are missing, each given with tenant_id and topic, always in the same order: two who create the
-- same ones wait for each other instead of deadlocking. Returns how many are new.
create or replace function carillon.ensure_topics(topics jsonb) returns integer language plpgsql strict
set enable_seqscan = off as $$
declare
  created integer;
begin
  insert into carillon.topics (tenant_id, topic)
  select distinct g.tenant_id, g.topic from jsonb_to_recordset(topics) as g (tenant_id uuid, topic text)
  where not exists (select from carillon.topics t where t.tenant_id = g.tenant_id and t.topic = g.topic)
  order by 1, 2
  on conflict do nothing;
  get diagnostics created = row_count;
  return created;
end
$$;
