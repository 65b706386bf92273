-- Tells webhooks about an event of the application: one row per endpoint that wants events of its kind. The row's id is made
-- from event and endpoint, so that an event which is told again is told nobody twice, for as long as its delivery is kept.
-- Returns the number of rows.
create or replace function carillon.emit_domain_event(tenant uuid, event_id uuid, depth integer)
returns integer language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
#variable_conflict use_column
declare
  emitted integer;
begin
  with told as materialized (
    select e.*, carillon.derived_uuid(emit_domain_event.event_id::text || e.webhook_id) as id
    from carillon.webhook_events(jsonb_build_array(jsonb_build_object(
      'event', 'event.emitted', 'tenant_id', tenant, 'domain_event_id', emit_domain_event.event_id
    ))) e
    join carillon.notification_webhooks w on w.tenant_id = e.tenant_id and w.id = e.webhook_id
    cross join lateral (
      select d.kind from carillon.domain_events d where d.tenant_id = tenant and d.event_id = emit_domain_event.event_id
    ) d
    where w.event_kinds = '{}' or exists (select from unnest(w.event_kinds) as glob where carillon.matches_glob(glob, d.kind))
  ),
  untold as materialized (
    select t.* from told t
    where (select d.id from carillon.webhook_deliveries d where d.tenant_id = t.tenant_id and d.id = t.id) is null
  ),
  queued as (
    insert into carillon.outbox (id, tenant_id, source_kind, op, target_id, payload, context, ordering_key, batch_size,
      trigger_depth, max_attempts, backoff, base_ms, cap_ms, next_attempt_at)
    select t.id, t.tenant_id, 'webhook', t.event, t.webhook_id, t.body, t.context, t.ordering_key, t.batch_size, depth,
      t.max_attempts, t.backoff, t.base_ms, t.cap_ms, t.due_at
    from untold t where t.is_active
    on conflict do nothing
    returning id
  ),
  kept as (
    select carillon.keep_delivery(t.tenant_id, t.webhook_id, t.event, t.body,
      t.context || jsonb_build_object('delivery_id', t.id), t.ordering_key) as id
    from untold t where not t.is_active
  )
  select count(id) into emitted from (select q.id from queued q union all select k.id from kept k) written;
  return emitted;
end
$$;
