-- Writes a batch of events into the log, in the caller's transaction. They get their place in it after that has committed
-- (order_events()). One row per event, matched by `ord`:
--   accepted    the event is new
--   duplicate   same producer and key, same content: the first event's id
--   conflict    same producer and key, other content
--   refused     failure_code says why; nothing was stored. One that was accepted before is still a duplicate
-- HTTP, scripts and carillon.emit_event() all call this, so an event means the same whichever way it arrives.
create or replace function carillon.append_events(events jsonb)
returns table (
  ord integer, outcome text, event_id uuid, failure_code text, failure_field text, failure_message text
) language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set enable_material = off set jit = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  max_relation_bytes constant integer := 65536;
  answers jsonb;
begin
  with input as materialized (
    -- ids and numbers in the order of the batch, however it is written below
    select e.*, carillon.uuid_v7() as event_id, nextval('carillon.domain_events_seq') as seq,
      case
        when t.suspended_at is not null then 'tenant_suspended'
        when t.storage_bytes > t.quota_storage_mb * 1000000::bigint then 'quota_exceeded'
        when octet_length(e.relations::text) > max_relation_bytes then 'payload_too_large'
        when carillon.is_too_deep(e.payload_json::jsonb) then 'invalid_payload'
        when e.thread ->> 'kind' <> all (s.thread_kinds) then 'invalid_request'
      end as problem,
      s.thread_kinds,
      encode(sha256(convert_to(jsonb_build_array(
        e.kind, e.actor_id, e.topic, e.thread, e.source_kind, e.source_id, coalesce(e.is_public, true),
        coalesce(e.relations, '{}'), e.payload_json::jsonb, extract(epoch from e.occurred_at)
      )::text, 'UTF8')), 'hex') as fingerprint
    from jsonb_to_recordset(events) as e (
      ord integer, tenant_id uuid, kind text, producer text, actor_id text, topic text, thread jsonb, source_kind text,
      source_id text, is_public boolean, relations jsonb, payload_json text, idempotency_key text, request_id text,
      traceparent text, trigger_depth integer, occurred_at timestamptz
    )
    join carillon.tenants t on t.id = e.tenant_id
    join carillon.tenant_settings s on s.tenant_id = e.tenant_id
  ),
  inserted as (
    insert into carillon.domain_events (
      tenant_id, event_id, seq, kind, producer, actor_id, topic, thread_kind, thread_id, thread_title, thread_url,
      thread_author_id, source_kind, source_id, is_public, relations, payload_json, idempotency_key, request_fingerprint,
      request_id, traceparent, trigger_depth, occurred_at
    )
    select i.tenant_id, i.event_id, i.seq, i.kind, i.producer, i.actor_id, i.topic, i.thread ->> 'kind', i.thread ->> 'id',
      i.thread ->> 'title', i.thread ->> 'url', i.thread ->> 'author_id', coalesce(i.source_kind, ''),
      coalesce(i.source_id, ''), coalesce(i.is_public, true), coalesce(i.relations, '{}'), i.payload_json,
      i.idempotency_key, i.fingerprint, coalesce(i.request_id, ''), coalesce(i.traceparent, ''),
      coalesce(i.trigger_depth, 0), coalesce(i.occurred_at, now())
    from input i
    where i.problem is null
    -- always in the same order: two batches that share keys wait for each other instead of deadlocking
    order by i.tenant_id, i.producer, i.idempotency_key, i.ord
    on conflict do nothing
    returning event_id
  )
  select jsonb_agg(jsonb_build_object(
    'ord', i.ord, 'tenant_id', i.tenant_id, 'producer', i.producer, 'key', i.idempotency_key, 'kind', i.kind,
    'fingerprint', i.fingerprint, 'problem', i.problem, 'event_id', n.event_id,
    'thread_kinds', array_to_string(i.thread_kinds, ', ')
  )) into answers
  from input i left join inserted n on n.event_id = i.event_id;

  -- A statement of its own, which sees the events whose keys are in use, even if they were committed meanwhile.
  return query
    select a.ord,
      case
        when a.event_id is not null then 'accepted'
        when first.same then 'duplicate'
        when first.event_id is not null then 'conflict'
        else 'refused'
      end,
      coalesce(a.event_id, first.event_id),
      case
        when first.event_id is not null and not first.same then 'idempotency_conflict'
        when a.event_id is null and first.event_id is null then coalesce(a.problem, 'unavailable')
      end,
      case
        when first.event_id is not null and not first.same then 'idempotency_key'
        when a.event_id is null and first.event_id is null then case a.problem
          when 'payload_too_large' then 'relations' when 'invalid_payload' then 'payload'
          when 'invalid_request' then 'thread.kind' else 'body' end
      end,
      case
        when first.event_id is not null and not first.same then format(
          'Producer "%s" already used the key "%s" for different content: event %s.', a.producer, a.key, first.event_id)
        when a.event_id is null and first.event_id is null then case a.problem
          when 'tenant_suspended' then 'The tenant is suspended by its operator.'
          when 'quota_exceeded' then
            'The storage that the operator allows this tenant is used up: delete something, or keep records for fewer days.'
          when 'payload_too_large' then format('The relations have more than %s bytes.', max_relation_bytes)
          when 'invalid_payload' then 'The payload is nested more than 100 levels deep.'
          when 'invalid_request' then format('This tenant has only threads of the kinds %s (thread_kinds).', a.thread_kinds)
          else 'The event with the same key was just deleted: send it again.'
        end
      end
    from jsonb_to_recordset(answers) as a (
      ord integer, tenant_id uuid, producer text, key text, kind text, fingerprint text, problem text, event_id uuid,
      thread_kinds text
    )
    left join lateral (
      select d.event_id, d.request_fingerprint = a.fingerprint as same from carillon.domain_events d
      where a.event_id is null and d.tenant_id = a.tenant_id and d.producer = a.producer and d.idempotency_key = a.key
    ) first on true;
end
$$;
