-- Ends dispatches: rows, dead letters and order change together, and only where owner and fencing token still match.
-- Answers the ids of the rows that were still the owner's. When a row of an ordered key goes, the next one of its key is
-- due at once: it may have been put aside while it waited.
create or replace function carillon.complete_outbox(owner text, completions jsonb)
returns setof uuid language plpgsql
set enable_seqscan = off set jit = off set plan_cache_mode = force_generic_plan as $$
begin
  return query
  with input as materialized (
    -- what simply succeeded says nothing but its id and claim
    select i.id, i.claim_count, coalesce(i.action, 'done') as action, i.delay_ms, i.uses_attempt, i.message,
      i.failure_reason, i.classification, i.recovery_hint
    from jsonb_to_recordset(completions) as i (
      id uuid, claim_count integer, action text, delay_ms float8, uses_attempt boolean, message text,
      failure_reason text, classification text, recovery_hint text
    )
  ),
  gone as (
    delete from carillon.outbox o using input i
    where i.action <> 'retry' and o.id = i.id and o.lease_owner = owner and o.claim_count = i.claim_count
    returning o.*, i.action, i.message, i.failure_reason, i.classification, i.recovery_hint
  ),
  kept as (
    update carillon.outbox o set
      next_attempt_at = now() + make_interval(secs => i.delay_ms / 1000), lease_owner = null, lease_until = null,
      attempt_count = o.attempt_count - case when i.uses_attempt then 0 else 1 end,
      last_error = case when i.uses_attempt then i.message else o.last_error end
    from input i
    where i.action = 'retry' and o.id = i.id and o.lease_owner = owner and o.claim_count = i.claim_count
    returning o.id
  ),
  -- Some at a time: the bodies of a whole batch may be more than one value can hold.
  buried as materialized (
    select carillon.open_dead_letters(jsonb_agg(jsonb_build_object(
      'tenant_id', d.tenant_id, 'source_kind', 'outbox', 'final_attempt_count', d.attempt_count,
      'max_attempts', d.max_attempts, 'failure_reason', d.failure_reason, 'failure_classification', d.classification,
      'failure_message', d.message, 'recovery_hint', d.recovery_hint, 'original_event_id', d.id, 'source', d.source_kind,
      'op', d.op, 'target_id', d.target_id, 'payload', d.payload,
      'dispatch', jsonb_build_object('context', d.context, 'ordering_key', d.ordering_key, 'batch_size', d.batch_size,
        'backoff', d.backoff, 'base_ms', d.base_ms, 'cap_ms', d.cap_ms, 'jitter', d.jitter),
      'first_attempt_at', d.first_attempt_at, 'last_attempt_at', now()
    ))) as letters
    from (select g.*, row_number() over () / 50 as part from gone g where g.action = 'dead') d group by d.part
  ),
  promoted as (
    update carillon.outbox n set next_attempt_at = now()
    from gone g cross join lateral (
      select f.id from carillon.outbox f where f.tenant_id = g.tenant_id and f.source_kind = g.source_kind
        and f.target_id = g.target_id and f.ordering_key = g.ordering_key and f.seq > g.seq
      order by f.seq limit 1
    ) next
    -- Also when it is due already: whoever is about to put it aside, because they still saw the one before it, then finds
    -- it locked or changed.
    where g.ordering_key is not null and n.id = next.id and n.attempt_count = 0
  )
  -- the letters are asked for, or nobody would write them
  select g.id from gone g where (select count(b.letters) from buried b) >= 0 union all select k.id from kept k;
end
$$;
