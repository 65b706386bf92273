-- Watches go with their topic. There is no foreign key, since processes of earlier versions make watches without topics.
create or replace function carillon.remove_watches_of_topics() returns trigger language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  delete from carillon.watches w using removed r where w.tenant_id = r.tenant_id and w.topic = r.topic;
  return null;
end
$$;
do $$
begin
  -- while migrations are undone, the table may not exist
  if to_regclass('carillon.topics') is not null then
    create or replace trigger topics_watches after delete on carillon.topics
      referencing old table as removed for each statement execute function carillon.remove_watches_of_topics();
  end if;
end
$$;
