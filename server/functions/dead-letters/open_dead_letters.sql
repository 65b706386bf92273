-- Stores work that exhausted automated handling, in the statement that ends it. A letter about a route names the route; one
-- about the outbox holds everything needed to send it again. Returns how many were stored.
create or replace function carillon.open_dead_letters(letters jsonb) returns integer language plpgsql strict as $$
declare
  opened integer;
begin
  insert into carillon.dead_letters (id, tenant_id, source_kind, notification_id, route_id, notification_type, channel,
    recipient_ref, final_attempt_count, max_attempts, failure_reason, failure_classification, failure_message,
    recovery_hint, created_at, original_event_id, source, op, target_id, payload, dispatch, first_attempt_at,
    last_attempt_at)
  select coalesce(l.id, carillon.uuid_v7()), l.tenant_id, l.source_kind, l.notification_id, l.route_id,
    coalesce(l.notification_type, ''), l.channel, coalesce(l.recipient_ref, ''), l.final_attempt_count, l.max_attempts,
    l.failure_reason, l.failure_classification, l.failure_message, l.recovery_hint, now(), l.original_event_id,
    coalesce(l.source, ''), coalesce(l.op, ''), l.target_id, l.payload, l.dispatch, l.first_attempt_at, l.last_attempt_at
  from jsonb_to_recordset(letters) as l (id uuid, tenant_id uuid, source_kind text, notification_id uuid, route_id text,
    notification_type text, channel text, recipient_ref text, final_attempt_count integer, max_attempts integer,
    failure_reason text, failure_classification text, failure_message text, recovery_hint text, original_event_id uuid,
    source text, op text, target_id uuid, payload text, dispatch jsonb, first_attempt_at timestamptz,
    last_attempt_at timestamptz);
  get diagnostics opened = row_count;
  return opened;
end
$$;
