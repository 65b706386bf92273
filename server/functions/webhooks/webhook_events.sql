-- Which webhooks the subjects of emit_events() concern, and the exact body each of them gets.
create or replace function carillon.webhook_events(subjects jsonb)
returns table (
  tenant_id uuid, event text, webhook_id uuid, body text, context jsonb, ordering_key text, batch_size integer,
  max_attempts integer, backoff text, base_ms integer, cap_ms integer, due_at timestamptz,
  is_active boolean
) language plpgsql stable
set enable_seqscan = off set jit = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return query
  with subject as materialized (
    -- told again, an event of the application is still the same one
    select s.*, coalesce(s.domain_event_id, carillon.uuid_v7()) as event_id
    from rows from (jsonb_to_recordset(subjects) as (
      event text, tenant_id uuid, notification_id uuid, route_id text, dead_letter_id uuid, inbox_id uuid,
      system_event_id bigint, domain_event_id uuid, reader text
    )) with ordinality as s (
      event, tenant_id, notification_id, route_id, dead_letter_id, inbox_id, system_event_id, domain_event_id, reader, ord
    )
  ),
  fact as materialized (
    select s.*, rec, r, y.category, r.recipient_ref, null::json as told, rec.notification_type as type,
      rec.traceparent as trace, p.people, null::text as ordered_by
    from subject s
    join carillon.records rec on rec.tenant_id = s.tenant_id and rec.notification_id = s.notification_id
    left join carillon.routes r
      on r.tenant_id = s.tenant_id and r.notification_id = s.notification_id and r.route_id = s.route_id
    left join carillon.notifications i on i.tenant_id = s.tenant_id and i.id = s.inbox_id
    left join carillon.notification_types y on y.tenant_id = rec.tenant_id and y.name = rec.notification_type
    cross join lateral (
      select case when rec.audience_kind = 'users' and s.route_id is null then rec.recipients else '{}' end
        || coalesce(r.user_id, i.user_id) as people
    ) p
    -- checked before whole rows, payloads included, are put together
    where s.system_event_id is null and s.domain_event_id is null and exists (select from carillon.endpoints_for(s.tenant_id, s.event, p.people))
    union all
    -- what a person read in the inbox when its record was in the archive already; nothing else happens to those
    select s.*, rec, r, y.category, r.recipient_ref, null, rec.notification_type, rec.traceparent, array[r.user_id], null
    from subject s
    join carillon.records_archive a on a.tenant_id = s.tenant_id and a.notification_id = s.notification_id
    join carillon.routes_archive o
      on o.tenant_id = s.tenant_id and o.notification_id = s.notification_id and o.route_id = s.route_id
    cross join lateral jsonb_populate_record(null::carillon.records, to_jsonb(a)) rec
    cross join lateral jsonb_populate_record(null::carillon.routes, to_jsonb(o)) r
    left join carillon.notification_types y on y.tenant_id = a.tenant_id and y.name = a.notification_type
    where s.event = 'notification.read'
      and exists (select from carillon.endpoints_for(s.tenant_id, s.event, array[o.user_id]))
    union all
    -- what a person read in the inbox that came from no record, as if it had been delivered to that person
    select s.*, rec, r, y.category, r.recipient_ref, null, i.type, '', array[s.reader], null
    from subject s
    join carillon.notifications i on i.tenant_id = s.tenant_id and i.id = s.inbox_id
    left join carillon.notification_types y on y.tenant_id = i.tenant_id and y.name = i.type
    cross join lateral jsonb_populate_record(null::carillon.records, jsonb_build_object(
      'notification_id', i.id, 'notification_type', i.type, 'producer', 'inbox', 'idempotency_key', '', 'request_id', '',
      'occurred_at', i.last_event_at, 'accepted_at', i.created_at,
      'payload_json', jsonb_build_object('title', i.title, 'message', i.message)::text)) rec
    cross join lateral jsonb_populate_record(null::carillon.routes, jsonb_build_object(
      'route_id', s.route_id, 'channel', 'in_app', 'recipient_ref', 'user:' || s.reader, 'user_id', s.reader,
      'status', 'sent', 'reason', '', 'attempt_count', 0, 'max_attempts', 0, 'provider', 'in_app',
      'provider_message_id', '', 'last_error_classification', '', 'last_error_message', '', 'sent_at', i.created_at)) r
    where s.reader is not null and exists (select from carillon.endpoints_for(s.tenant_id, s.event, array[s.reader]))
    union all
    select s.*, null, null, null, null, (
        select row_to_json(d) from (
          select e.id as system_event_id, e.event_type, e.subject, e.severity, e.description, e.details, e.is_resolved,
            carillon.iso(e.created_at) as created_at, carillon.iso(e.resolved_at) as resolved_at, e.resolved_by
        ) d
      ), e.event_type, '', array[e.user_id], 'system_event ' || e.event_type
    from subject s join carillon.admin_system_events e on e.id = s.system_event_id and e.tenant_id = s.tenant_id
    union all
    select s.*, null, null, null, null, (
        select row_to_json(t) from (
          select d.event_id, d.id, d.kind, d.producer, d.actor_id, d.topic, case when d.thread_id is not null then (
              select row_to_json(h) from (
                select d.thread_kind as kind, d.thread_id as id, d.thread_title as title, d.thread_url as url,
                  d.thread_author_id as author_id
              ) h
            ) end as thread,
            d.source_kind, d.source_id, d.is_public, d.relations, d.payload_json::json as payload,
            carillon.iso(d.occurred_at) as occurred_at
        ) t
      ), d.kind, d.traceparent, '{}',
      coalesce('thread ' || d.thread_kind || '/' || d.thread_id, 'topic ' || d.topic, 'event ' || d.kind)
    from subject s join carillon.domain_events d on d.tenant_id = s.tenant_id and d.event_id = s.domain_event_id
  )
  select f.tenant_id, f.event, w.id,
    carillon.webhook_body(w.format, f.event_id, f.event, f.tenant_id,
      coalesce(f.notification_id::text || coalesce('/' || f.route_id, ''), f.system_event_id::text, f.domain_event_id::text),
      f.trace,
      case
        when f.told is null then carillon.event_data(
          w.payload_mode, f.rec, f.r, coalesce(f.category, ''), f.dead_letter_id, f.inbox_id)
        when w.payload_mode = 'full' then f.told
        when f.domain_event_id is null then (
          select row_to_json(d) from (select f.system_event_id, f.type as event_type) d)
        else (select row_to_json(d) from (select f.domain_event_id as event_id, f.type as kind) d)
      end),
    jsonb_build_object('event_id', f.event_id, 'notification_id', f.notification_id, 'traceparent', f.trace,
      'content_type', carillon.webhook_content_type(w.format)),
    case w.ordering
      when 'notification' then left(coalesce(f.notification_id::text, f.ordered_by), 300)
      when 'recipient' then left(coalesce(f.recipient_ref, f.notification_id::text, f.ordered_by), 300)
      when 'endpoint' then ''
    end,
    w.batch_size, w.retry_count + 1, w.backoff, w.retry_base_ms, w.retry_cap_ms,
    -- Events of one window are due together, so that they can go out as one batch.
    case
      when w.batch_size > 1 and w.batch_seconds > 0 then
        date_bin(make_interval(secs => w.batch_seconds), now(), 'epoch') + make_interval(secs => w.batch_seconds)
      else now()
    end,
    w.is_active
  from fact f
  cross join lateral carillon.endpoints_for(f.tenant_id, f.event, f.people) w
  where (f.told is not null or w.notification_types = '{}' or f.type = any (w.notification_types))
    and (f.told is not null or w.categories = '{}' or coalesce(f.category, '') = any (w.categories))
  order by f.ord, w.id;
end
$$;
