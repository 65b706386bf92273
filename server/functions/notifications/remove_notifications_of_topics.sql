-- Inbox rows go with their topic. A trigger and not a foreign key, which would be checked again for every row of a fan-out.
create or replace function carillon.remove_notifications_of_topics() returns trigger language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  -- Emptied and marked, so that clients learn that they are gone; retention deletes them.
  update carillon.notifications n
  set deleted_at = coalesce(n.deleted_at, now()), saved_at = null, title = '', message = '', summary = '{}', actions = null,
    answer = null, topic = null, thread_kind = null, thread_id = null, source_event_id = null, last_actor_id = null
  from removed r where n.tenant_id = r.tenant_id and n.topic = r.topic;
  return null;
end
$$;
create or replace trigger topics_notifications after delete on carillon.topics
  referencing old table as removed for each statement execute function carillon.remove_notifications_of_topics();
