-- Subscribes people to a thread because an event involved them. A choice that they have made, either way, stays.
create or replace function carillon.subscribe_automatically(
  tenant uuid, thread_kind text, thread_id text, people text[], reason text, source_event_id bigint
) returns void language plpgsql set enable_seqscan = off as $$
#variable_conflict use_column
begin
  insert into carillon.notification_threads (tenant_id, user_id, thread_kind, thread_id, subscribed, reason, source_event_id)
  select tenant, person, subscribe_automatically.thread_kind, subscribe_automatically.thread_id, true,
    subscribe_automatically.reason, subscribe_automatically.source_event_id
  from unnest(people) as person order by person
  on conflict (tenant_id, user_id, thread_kind, thread_id) do nothing;
end
$$;
