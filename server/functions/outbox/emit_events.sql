-- Tells webhooks what happened: one outbox row per subject and matching endpoint, in the transaction of the change, so
-- there is no change without its event and no event without its change. A subject has an `event`, a `tenant_id`, and what
-- it is about: notification_id and perhaps route_id, dead_letter_id, inbox_id; or system_event_id. Callers on hot paths ask
-- endpoints_for() first and leave out events that nobody wants. One insert for all of them: enqueue(), row by row, took
-- half as long again. Events of an endpoint that is not active are kept as deliveries, for a recovery. Returns the number
-- of rows written.
create or replace function carillon.emit_events(subjects jsonb, depth integer default 0)
returns integer language plpgsql strict as $$
declare
  emitted integer;
begin
  with events as materialized (
    select * from carillon.webhook_events(subjects)
  ),
  queued as (
    insert into carillon.outbox (id, tenant_id, source_kind, op, target_id, payload, context, ordering_key, batch_size,
      trigger_depth, max_attempts, backoff, base_ms, cap_ms, next_attempt_at)
    select carillon.uuid_v7(), e.tenant_id, 'webhook', e.event, e.webhook_id, e.body, e.context, e.ordering_key,
      e.batch_size, depth, e.max_attempts, e.backoff, e.base_ms, e.cap_ms, e.due_at
    from events e where e.is_active
    returning id
  ),
  kept as (
    select carillon.keep_delivery(e.tenant_id, e.webhook_id, e.event, e.body, e.context, e.ordering_key) as id
    from events e where not e.is_active
  )
  select count(id) into emitted from (select q.id from queued q union all select k.id from kept k) written;
  return emitted;
end
$$;
