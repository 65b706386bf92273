-- Whom an event involves, they follow its thread and watch its topic as participants, unless they have chosen otherwise.
create or replace function carillon.involve_people(
  tenant uuid, event_id uuid, topic text, users text[], reason text
) returns void language plpgsql set enable_seqscan = off as $$
#variable_conflict use_column
declare
  e carillon.domain_events;
begin
  select d.* into e from carillon.domain_events d where d.tenant_id = tenant and d.event_id = involve_people.event_id;
  if e.thread_id is not null then
    perform carillon.subscribe_automatically(tenant, e.thread_kind, e.thread_id, users, reason, e.id);
  end if;
  if topic is not null then
    perform carillon.watch_automatically(tenant, topic, users, 'participating');
  end if;
end
$$;

-- Who did it and who opened the thread are involved, although nobody tells them: the author of a thread, and whoever
-- comments on one.
create or replace function carillon.involve_actor(tenant uuid, event_id uuid, topic text, members_only boolean) returns void
language plpgsql set enable_seqscan = off as $$
#variable_conflict use_column
declare
  e carillon.domain_events;
  author text;
begin
  select d.* into e from carillon.domain_events d where d.tenant_id = tenant and d.event_id = involve_actor.event_id;
  if e.thread_id is null then
    return;
  end if;
  select t.author_id into author from carillon.threads t
  where t.tenant_id = tenant and t.kind = e.thread_kind and t.id = e.thread_id;
  perform carillon.involve_people(tenant, event_id, topic, array[p.id], p.reason)
  from (
    select author as id, 'author' as reason
    union all
    select e.actor_id, 'commenter' where e.kind like '%comment\_created' and e.actor_id is distinct from author
  ) p
  join carillon.users u on u.tenant_id = tenant and u.id = p.id
  where not members_only or exists (
    select from carillon.topic_members m where m.tenant_id = tenant and m.topic = involve_actor.topic and m.user_id = p.id);
end
$$;
