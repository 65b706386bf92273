-- Watches go with their topic. A trigger and not a foreign key, which would be checked for every watch that an event makes.
create or replace function carillon.remove_watches_of_topics() returns trigger language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  delete from carillon.watches w using removed r where w.tenant_id = r.tenant_id and w.topic = r.topic;
  return null;
end
$$;
create or replace trigger topics_watches after delete on carillon.topics
  referencing old table as removed for each statement execute function carillon.remove_watches_of_topics();
