-- Puts an event into the inboxes of people: one row per person and thread, or a row of its own without a thread. `people`
-- are in the order of their ids, so that two calls lock rows in the same order; `reasons` and `passing` (whether it reaches
-- those who muted it) belong to them. `item` is the same for all: source_event_id, type, kind, title, message, topic,
-- thread_kind, thread_id, last_event_at, last_actor_id, summary, actions, expires_at. An event that a row has already seen
-- changes nothing, so a repeat may come at any time. Returns the number of rows written.
create or replace function carillon.upsert_inbox(
  tenant uuid, people text[], reasons text[], passing boolean[], item jsonb
) returns integer language plpgsql
set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  event carillon.notifications := jsonb_populate_record(null::carillon.notifications, item);
  -- payloads come from anywhere, and a page that follows an address must not run it
  shown jsonb := coalesce(event.summary, '{}') - array['url', 'icon'] || jsonb_strip_nulls(jsonb_build_object(
    'url', carillon.page_address(event.summary ->> 'url'), 'icon', carillon.page_address(event.summary ->> 'icon')));
  buttons jsonb := carillon.shown_actions(event.actions);
  passed text[] := array(select p.user_id from unnest(people, passing) as p (user_id, passes) where p.passes);
  at timestamptz := coalesce(event.last_event_at, now());
  -- somebody who is unknown, or was deleted meanwhile, is nobody
  actor text := (select u.id from carillon.users u where u.tenant_id = tenant and u.id = event.last_actor_id);
  -- Once and not per row: a hundred thousand people may get the same. What makes their ids differ is the random part.
  first_summary jsonb := shown || jsonb_build_object('actors', carillon.recent_actors(null, actor));
  id_start text := left(carillon.uuid_v7()::text, 15);
  written integer;
begin
  if event.thread_id is null then
    insert into carillon.notifications (id, tenant_id, user_id, type, kind, reason, title, message, topic, source_event_id,
      last_event_at, last_actor_id, summary, actions, expires_at)
    select (id_start || substr(gen_random_uuid()::text, 16))::uuid, tenant, p.user_id, coalesce(event.type, event.kind), event.kind, p.reason,
      coalesce(event.title, ''), coalesce(event.message, ''),
      event.topic, event.source_event_id, at, actor,
      first_summary, buttons, event.expires_at
    from unnest(people, reasons) as p (user_id, reason)
    on conflict (tenant_id, user_id, source_event_id)
      where source_event_id is not null and thread_id is null and user_id is not null do nothing;
  else
    insert into carillon.notifications as n (id, tenant_id, user_id, type, kind, reason, title, message, topic, thread_kind,
      thread_id, source_event_id, last_event_at, last_actor_id, summary, actions, expires_at)
    select (id_start || substr(gen_random_uuid()::text, 16))::uuid, tenant, p.user_id, coalesce(event.type, event.kind), event.kind, p.reason,
      coalesce(event.title, ''), coalesce(event.message, ''),
      event.topic, event.thread_kind, event.thread_id, event.source_event_id, at, actor,
      first_summary, buttons, event.expires_at
    from unnest(people, reasons) as p (user_id, reason)
    on conflict (tenant_id, user_id, thread_kind, thread_id) where thread_id is not null do update set
      type = excluded.type, kind = excluded.kind, reason = excluded.reason, title = excluded.title,
      message = excluded.message, topic = excluded.topic, source_event_id = excluded.source_event_id,
      last_event_at = excluded.last_event_at, last_actor_id = excluded.last_actor_id,
      summary = excluded.summary || jsonb_build_object(
        'actors', carillon.recent_actors(n.summary -> 'actors', excluded.last_actor_id)),
      actions = excluded.actions, answer = null, expires_at = excluded.expires_at, event_count = n.event_count + 1,
      is_read = false, read_at = null, done_at = null, deleted_at = null,
      -- a snooze goes on, unless the event is one of those that reach people who want to hear nothing
      snoozed_until = case when n.snoozed_until > now() and excluded.user_id <> all (passed) then n.snoozed_until end,
      event_version = excluded.event_version
    where n.source_event_id is null or n.source_event_id < excluded.source_event_id;
  end if;
  get diagnostics written = row_count;
  return written;
end
$$;
