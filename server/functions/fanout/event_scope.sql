-- Where an event happened: its topic, or that of its thread, and whether only members may see it. Nothing if topic or thread
-- were deleted since: then nobody is told. The topic stays until the transaction ends.
create or replace function carillon.event_scope(
  tenant uuid, event_id uuid,
  out topic text, out title text, out url text, out members_only boolean, out is_gone boolean
) language plpgsql
set enable_seqscan = off as $$
#variable_conflict use_column
declare
  e carillon.domain_events;
  thread carillon.threads;
  place carillon.topics;
begin
  is_gone := true;
  select d.* into e from carillon.domain_events d where d.tenant_id = tenant and d.event_id = event_scope.event_id;
  if not found then
    return;
  end if;
  if e.thread_id is not null then
    select t.* into thread from carillon.threads t
    where t.tenant_id = tenant and t.kind = e.thread_kind and t.id = e.thread_id;
    if not found then
      return;
    end if;
  end if;
  topic := coalesce(e.topic, thread.topic);
  if topic is not null then
    select t.* into place from carillon.topics t where t.tenant_id = tenant and t.topic = event_scope.topic for key share;
    if not found then
      return;
    end if;
  end if;
  is_gone := false;
  title := coalesce(nullif(thread.title, ''), nullif(place.title, ''));
  url := coalesce(nullif(thread.url, ''), nullif(place.url, ''));
  members_only := topic is not null and (place.visibility = 'private' or not e.is_public);
end
$$;
