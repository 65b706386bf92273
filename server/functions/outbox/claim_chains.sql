-- Claims the rows behind each head, which the caller has claimed, in the order of its key and up to the first row that has
-- been tried before, is delayed or is somebody else's: that one keeps its own time. Locks are waited for and not skipped: a row left out
-- would arrive after those that came later.
create or replace function carillon.claim_chains(
  tenants uuid[], heads uuid[], max_followers integer, owner text, lease_seconds float8
) returns table (
  head uuid, id uuid, seq bigint, tenant_id uuid, source_kind text, op text, target_id uuid, payload text, context jsonb,
  ordering_key text, batch_size integer, trigger_depth integer, attempt_count integer, max_attempts integer, backoff text,
  base_ms integer, cap_ms integer, jitter real, claim_count integer, next_attempt_at timestamptz, created_at timestamptz
) language plpgsql
set enable_seqscan = off set jit = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return query
  with follower as materialized (
    select h.id as head, h.next_attempt_at as head_due, h.tenant_id, f.id
    from unnest(tenants, heads) as given (tenant_id, id)
    join carillon.outbox h on h.tenant_id = given.tenant_id and h.id = given.id and h.lease_owner = owner
    cross join lateral (
      select min(e.seq) as seq from carillon.outbox e
      where e.tenant_id = h.tenant_id and e.source_kind = h.source_kind and e.target_id = h.target_id
        and e.ordering_key = h.ordering_key and e.seq > h.seq
        and (e.lease_owner is not null or e.attempt_count > 0 or e.batch_size > 1
          or (e.context ->> 'not_before')::timestamptz > now())
    ) obstacle
    cross join lateral (
      select o.id from carillon.outbox o
      where o.tenant_id = h.tenant_id and o.source_kind = h.source_kind and o.target_id = h.target_id
        and o.ordering_key = h.ordering_key and o.seq > h.seq and (obstacle.seq is null or o.seq < obstacle.seq)
      order by o.seq limit max_followers
      for update
    ) f
  )
  update carillon.outbox o set
    lease_owner = owner, lease_until = now() + make_interval(secs => lease_seconds), attempt_count = o.attempt_count + 1,
    claim_count = o.claim_count + 1, first_attempt_at = coalesce(o.first_attempt_at, now())
  from follower w where o.tenant_id = w.tenant_id and o.id = w.id and o.lease_owner is null
  returning w.head, o.id, o.seq, o.tenant_id, o.source_kind, o.op, o.target_id, o.payload, o.context, o.ordering_key,
    o.batch_size, o.trigger_depth, o.attempt_count, o.max_attempts, o.backoff, o.base_ms, o.cap_ms, o.jitter,
    -- their own may be later: those behind a head are put aside
    o.claim_count, w.head_due, o.created_at;
end
$$;
