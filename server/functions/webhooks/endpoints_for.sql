-- The endpoints that want an event about these people, those included whose events are only kept while they are not active: the tenant's own and those of the people. Two lookups in the
-- index notification_webhooks_active, however many endpoints other people have. Plain SQL without settings, because only
-- that is inlined into the calling statement: a tenant without endpoints does not even pay for a call.
create or replace function carillon.endpoints_for(tenant uuid, event text, people text[])
returns table (
  id uuid, notification_types text[], categories text[], payload_mode text, format text, ordering text,
  batch_size integer, batch_seconds integer, retry_count integer, backoff text, retry_base_ms integer,
  retry_cap_ms integer, is_active boolean
) language sql stable as $$
  select w.id, w.notification_types, w.categories, w.payload_mode, w.format, w.ordering, w.batch_size, w.batch_seconds,
    w.retry_count, w.backoff, w.retry_base_ms, w.retry_cap_ms, w.is_active
  from carillon.notification_webhooks w
  where w.tenant_id = tenant and (w.is_active or w.keeps_events_until > now()) and w.user_id is null and event = any (w.events)
  union all
  select w.id, w.notification_types, w.categories, w.payload_mode, w.format, w.ordering, w.batch_size, w.batch_seconds,
    w.retry_count, w.backoff, w.retry_base_ms, w.retry_cap_ms, w.is_active
  from carillon.notification_webhooks w
  where w.tenant_id = tenant and (w.is_active or w.keeps_events_until > now()) and w.user_id = any (people) and event = any (w.events)
$$;
