-- The record of a notification that an event caused: one per event, type, reason and channels. Its id is made from these and
-- the event's, so that an event which is fanned out again finds it. `expanded`: no more people will follow. Returns its id.
create or replace function carillon.create_event_record(
  tenant uuid, event_id uuid, rule jsonb, payload text, topic text, expanded boolean
) returns uuid language plpgsql
set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  type_name text := rule ->> 'notification_type';
  wanted text[] := array(select jsonb_array_elements_text(rule -> 'channels'));
  full_key text := format('event:%s:%s:%s:%s:%s', event_id, rule ->> 'reason', rule ->> 'relation', type_name,
    array_to_string(wanted, ','));
  digits text := md5(full_key);
  -- a UUID of version 7 with the time of the event's: links in mails reckon their expiry from it
  record_id uuid := (left(replace(event_id::text, '-', ''), 12) || '7' || substr(digits, 1, 3) || '8' || substr(digits, 5, 15))::uuid;
  is_new boolean;
begin
  insert into carillon.records (
    tenant_id, notification_id, notification_type, producer, audience_kind, topic, channels, payload_json, idempotency_key,
    request_fingerprint, idempotency_expires_at, source, request_id, traceparent, retry_base_ms, retry_cap_ms,
    occurred_at, accepted_at, expanded_at, updated_at, reason, trigger_depth, event_id, thread_kind, thread_id, actor_id,
    passes_mute, relation
  )
  select e.tenant_id, record_id, type_name, e.producer, 'event', create_event_record.topic, wanted, create_event_record.payload, left(full_key, 255), '',
    now() + make_interval(secs => k.idempotency_window_seconds), 'event', e.request_id, e.traceparent,
    coalesce(y.retry_base_ms, s.retry_base_ms),
    greatest(coalesce(y.retry_cap_ms, s.retry_cap_ms), coalesce(y.retry_base_ms, s.retry_base_ms)),
    e.occurred_at, now(), case when expanded then now() end, now(), rule ->> 'reason', e.trigger_depth, e.event_id,
    e.thread_kind, e.thread_id, e.actor_id, (rule ->> 'passes_mute')::boolean, rule ->> 'relation'
  from carillon.domain_events e
  join carillon.tenant_settings s on s.tenant_id = e.tenant_id
  join carillon.tenant_retention k on k.tenant_id = e.tenant_id
  left join carillon.notification_types y on y.tenant_id = e.tenant_id and y.name = type_name
  where e.tenant_id = tenant and e.event_id = create_event_record.event_id
  on conflict (tenant_id, notification_id) do nothing;
  is_new := found;
  if is_new and exists (select from carillon.endpoints_for(tenant, 'notification.accepted', null)) then
    perform carillon.emit_events(jsonb_build_array(jsonb_build_object(
      'event', 'notification.accepted', 'tenant_id', tenant, 'notification_id', record_id)));
  end if;
  return record_id;
end
$$;

-- Notes that everybody has been told of an event.
create or replace function carillon.mark_event_expanded(tenant uuid, event_id uuid) returns void language plpgsql
set enable_seqscan = off as $$
begin
  update carillon.records r set expanded_at = now(), updated_at = now()
  where r.tenant_id = tenant and r.event_id = mark_event_expanded.event_id and r.expanded_at is null;
end
$$;
