-- What messages about an event are made from: its own payload, with the title and address of its thread or topic where it
-- has none, and the event itself under `event`, for templates.
create or replace function carillon.event_payload(tenant uuid, event_id uuid, title text, url text, topic text)
returns jsonb language sql stable as $$
  select
    jsonb_strip_nulls(jsonb_build_object(
      'title', coalesce(event_payload.title, initcap(left(k.words, 1)) || substr(k.words, 2)), 'url', event_payload.url,
      'event', jsonb_build_object(
        'id', e.event_id, 'kind', e.kind, 'actor_id', e.actor_id, 'topic', event_payload.topic,
        'thread', case when e.thread_id is not null then
          jsonb_build_object('kind', e.thread_kind, 'id', e.thread_id, 'title', e.thread_title, 'url', e.thread_url) end,
        'source_kind', nullif(e.source_kind, ''), 'source_id', nullif(e.source_id, ''),
        'occurred_at', carillon.iso(e.occurred_at))
    ))
    || (
      -- a title that is no text would not be one in the inbox
      select coalesce(jsonb_object_agg(p.key, p.value), '{}') from jsonb_each(e.payload_json::jsonb) p
      where p.key not in ('title', 'url') or jsonb_typeof(p.value) = 'string' and p.value <> '""'
    )
  from carillon.domain_events e
  cross join lateral (select replace(e.kind, '_', ' ') as words) k
  where e.tenant_id = tenant and e.event_id = event_payload.event_id
$$;
