-- Completes dispatches: rows, dead letters and order change together, and only where owner and fencing token still match.
-- Returns the ids of the rows that were still the owner's. When a row with an ordering key is removed, the next one of its
-- key is made due at once, or when its delay is over: it may have been put aside while it waited.
create or replace function carillon.complete_outbox(owner text, completions jsonb)
returns setof uuid language plpgsql
set enable_seqscan = off set jit = off set plan_cache_mode = force_generic_plan as $$
declare
  completed uuid[];
  gone jsonb;
begin
  with input as materialized (
    -- a plain success comes with nothing but its key and claim
    select i.tenant_id, i.id, i.claim_count, coalesce(i.action, 'done') as action, i.delay_ms, i.uses_attempt, i.message,
      i.failure_reason, i.classification, i.recovery_hint
    from jsonb_to_recordset(completions) as i (
      tenant_id uuid, id uuid, claim_count integer, action text, delay_ms float8, uses_attempt boolean, message text,
      failure_reason text, classification text, recovery_hint text
    )
  ),
  removed as (
    delete from carillon.outbox o using input i
    where i.action <> 'retry' and o.tenant_id = i.tenant_id and o.id = i.id and o.lease_owner = owner
      and o.claim_count = i.claim_count
    returning o.*, i.action, i.message, i.failure_reason, i.classification, i.recovery_hint
  ),
  retried as (
    update carillon.outbox o set
      next_attempt_at = now() + make_interval(secs => i.delay_ms / 1000), lease_owner = null, lease_until = null,
      attempt_count = o.attempt_count - case when i.uses_attempt then 0 else 1 end,
      last_error = case when i.uses_attempt then i.message else o.last_error end
    from input i
    where i.action = 'retry' and o.tenant_id = i.tenant_id and o.id = i.id and o.lease_owner = owner
      and o.claim_count = i.claim_count
    returning o.id
  ),
  -- Fifty at a time: the bodies of a whole batch may be more than one value can hold.
  dead_letters as materialized (
    select carillon.open_dead_letters(jsonb_agg(jsonb_build_object(
      'tenant_id', d.tenant_id, 'source_kind', 'outbox', 'final_attempt_count', d.attempt_count,
      'max_attempts', d.max_attempts, 'failure_reason', d.failure_reason, 'failure_classification', d.classification,
      'failure_message', d.message, 'recovery_hint', d.recovery_hint, 'original_event_id', d.id, 'source', d.source_kind,
      'op', d.op, 'target_id', d.target_id, 'payload', d.payload, 'trigger_id', d.context ->> 'trigger_id',
      'script_id', d.context ->> 'script_id', 'trigger_depth', d.trigger_depth,
      'dispatch', jsonb_build_object('context', d.context, 'ordering_key', d.ordering_key, 'batch_size', d.batch_size,
        'backoff', d.backoff, 'base_ms', d.base_ms, 'cap_ms', d.cap_ms, 'jitter', d.jitter),
      'first_attempt_at', d.first_attempt_at, 'last_attempt_at', now()
    ))) as opened
    from (
      select r.*, row_number() over () / 50 as part from removed r
      where r.action = 'dead' and r.source_kind <> 'dead_letter'
    ) d group by d.part
  ),
  -- What handles a dead letter leaves none, whatever its handler says: it would be called again for its own.
  failed_handlers as materialized (
    select carillon.handler_failed(jsonb_agg(jsonb_build_object(
      'tenant_id', r.tenant_id, 'id', r.context ->> 'dead_letter_id'))) as marked
    from removed r where r.action = 'dead' and r.source_kind = 'dead_letter'
  )
  -- a CTE of type SELECT runs only if it is read, so the letters are counted
  select array(select r.id from removed r union all select r.id from retried r),
    (select jsonb_agg(jsonb_build_object('tenant_id', r.tenant_id, 'source_kind', r.source_kind, 'target_id', r.target_id,
      'ordering_key', r.ordering_key, 'seq', r.seq)) from removed r where r.ordering_key is not null)
  into completed, gone
  where (select count(d.opened) from dead_letters d) >= 0 and (select count(f.marked) from failed_handlers f) >= 0;

  if gone is not null then
    -- A statement of its own, as it sees what was committed since the first one began: an event that came in between, and
    -- was put aside because the row before it was still there.
    update carillon.outbox n set next_attempt_at = greatest(now(), (n.context ->> 'not_before')::timestamptz)
    from jsonb_to_recordset(gone) as r (
      tenant_id uuid, source_kind text, target_id uuid, ordering_key text, seq bigint
    )
    cross join lateral (
      select f.id from carillon.outbox f where f.tenant_id = r.tenant_id and f.source_kind = r.source_kind
        and f.target_id = r.target_id and f.ordering_key = r.ordering_key and f.seq > r.seq
      order by f.seq limit 1
    ) next
    -- Even if it is due already: a process that is about to put it aside then finds it locked or changed.
    where n.tenant_id = r.tenant_id and n.id = next.id and n.attempt_count = 0;
  end if;
  return query select unnest(completed);
end
$$;
