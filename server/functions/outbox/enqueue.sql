-- Puts one thing to do into the outbox, in the caller's transaction, so it is there exactly when its cause is. Arguments
-- that are left out or null get the defaults below. Returns the row's id.
create or replace function carillon.enqueue(
  tenant uuid, source_kind text, op text, target uuid, payload text, context jsonb default null,
  ordering_key text default null, batch_size integer default null, trigger_depth integer default null,
  max_attempts integer default null, backoff text default null, base_ms integer default null,
  cap_ms integer default null, jitter real default null, due_at timestamptz default null, id uuid default null
) returns uuid language plpgsql as $$
declare
  row_id constant uuid := coalesce(id, carillon.uuid_v7());
begin
  insert into carillon.outbox (id, tenant_id, source_kind, op, target_id, payload, context, ordering_key, batch_size,
    trigger_depth, max_attempts, backoff, base_ms, cap_ms, jitter, next_attempt_at)
  values (row_id, tenant, source_kind, op, target, payload, coalesce(context, '{}'), ordering_key,
    coalesce(batch_size, 1), coalesce(trigger_depth, 0), coalesce(max_attempts, 3), coalesce(backoff, 'exponential'),
    coalesce(base_ms, 1000), coalesce(cap_ms, 86400000), coalesce(jitter, 0.2), coalesce(due_at, now()));
  return row_id;
end
$$;
