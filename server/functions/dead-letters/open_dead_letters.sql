-- Stores work that exhausted automated handling, in the statement that ends it, and calls the handlers for it. A letter
-- about a route names the route; one about the outbox holds everything needed to send it again. Returns the number of outbox
-- rows for handlers.
create or replace function carillon.open_dead_letters(letters jsonb) returns integer language plpgsql strict
set enable_seqscan = off as $$
declare
  tenants uuid[];
  handled uuid[];
begin
  with opened as (
    insert into carillon.dead_letters (id, tenant_id, source_kind, notification_id, route_id, notification_type, channel,
      recipient_ref, final_attempt_count, max_attempts, failure_reason, failure_classification, failure_message,
      recovery_hint, created_at, original_event_id, source, op, target_id, payload, dispatch, first_attempt_at,
      last_attempt_at, trigger_id, script_id, trigger_depth, provider, template)
    select coalesce(l.id, carillon.uuid_v7()), l.tenant_id, l.source_kind, l.notification_id, l.route_id,
      coalesce(l.notification_type, ''), l.channel, coalesce(l.recipient_ref, ''), l.final_attempt_count, l.max_attempts,
      l.failure_reason, l.failure_classification, l.failure_message, l.recovery_hint, now(), l.original_event_id,
      coalesce(l.source, ''), coalesce(l.op, ''), l.target_id, l.payload, l.dispatch, l.first_attempt_at,
      l.last_attempt_at, l.trigger_id, l.script_id, coalesce(l.trigger_depth, 0),
      coalesce(l.provider, ''), coalesce(v.name, '')
    from jsonb_to_recordset(letters) as l (id uuid, tenant_id uuid, source_kind text, notification_id uuid, route_id text,
      notification_type text, channel text, recipient_ref text, final_attempt_count integer, max_attempts integer,
      failure_reason text, failure_classification text, failure_message text, recovery_hint text, original_event_id uuid,
      source text, op text, target_id uuid, payload text, dispatch jsonb, first_attempt_at timestamptz,
      last_attempt_at timestamptz, trigger_id uuid, script_id uuid, trigger_depth integer, provider text,
      template_version_id uuid)
    left join carillon.template_versions v on v.tenant_id = l.tenant_id and v.id = l.template_version_id
    returning dead_letters.id, dead_letters.tenant_id
  ),
  -- Most tenants have no handlers: one lookup for each of them, however many letters there are.
  with_handlers as materialized (
    select t.tenant_id from (select distinct o.tenant_id from opened o) t
    cross join lateral (
      select from carillon.triggers g where g.tenant_id = t.tenant_id and g.kind = 'dead_letter' and g.is_enabled limit 1
    ) handler
  )
  select array_agg(o.tenant_id), array_agg(o.id) into tenants, handled from opened o
  where o.tenant_id in (select w.tenant_id from with_handlers w);
  if handled is null then
    return 0;
  end if;
  return carillon.fire_letter_triggers(tenants, handled);
end
$$;
