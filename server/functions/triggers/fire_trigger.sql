-- Puts the run of a trigger into the outbox, in the caller's transaction, whatever the trigger matches: a row of its kind,
-- for the trigger, under its policy. `cause` may have depth (how many dispatches led to this), origin (who caused it),
-- ordering_key, delay_ms, max_attempts instead of the trigger's own, the row's id, and context (what the handler should
-- know besides).
-- What is delayed has the time before which it must not run in its context (not_before), because next_attempt_at is moved
-- for other reasons too. Returns the row's id; null if the trigger is gone or disabled.
create or replace function carillon.fire_trigger(
  tenant uuid, trigger_id uuid, op text, payload text, cause jsonb default '{}'
) returns uuid language sql as $$
  select carillon.enqueue(
    t.tenant_id, t.kind, op, t.id, payload,
    context => coalesce(cause -> 'context', '{}') || jsonb_build_object(
      'trigger_id', t.id, 'script_id', t.script_id, 'origin', coalesce(cause ->> 'origin', ''))
      || case when (cause ->> 'delay_ms')::float8 > 0 then jsonb_build_object('not_before', d.due_at) else '{}' end,
    ordering_key => cause ->> 'ordering_key',
    trigger_depth => coalesce((cause ->> 'depth')::integer, 0),
    max_attempts => coalesce((cause ->> 'max_attempts')::integer, t.max_attempts), backoff => t.backoff,
    base_ms => t.base_ms,
    due_at => d.due_at, id => (cause ->> 'id')::uuid
  )
  from carillon.triggers t
  cross join lateral (
    select now() + make_interval(secs => coalesce((cause ->> 'delay_ms')::float8, 0) / 1000) as due_at
  ) d
  where t.tenant_id = tenant and t.id = fire_trigger.trigger_id and t.is_enabled
$$;
