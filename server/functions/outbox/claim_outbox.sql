-- Claims due rows of the outbox: per target, oldest due first, at most as many as the target has free slots.
-- Known targets are looked up directly, from their watermark on. New ones can only lie between two known ones in the index,
-- so only those gaps are searched: never the dead entries that a busy target leaves in the index while an old snapshot is
-- open somewhere. Of an ordering key only the first row is claimed. The CTE locks before the update, so that the limits
-- hold whatever the plan. Stored times are rounded to milliseconds, perhaps upwards, so now() is rounded too.
create or replace function carillon.claim_outbox(
  known_tenants uuid[], known_kinds text[], known_targets uuid[], free integer[], watermarks timestamptz[],
  kinds text[], slots integer[], max_rows integer, owner text, lease_seconds float8
) returns table (
  id uuid, seq bigint, tenant_id uuid, source_kind text, op text, target_id uuid, payload text, context jsonb,
  ordering_key text, batch_size integer, trigger_depth integer, attempt_count integer, max_attempts integer, backoff text,
  base_ms integer, cap_ms integer, jitter real, claim_count integer, next_attempt_at timestamptz, created_at timestamptz
) language plpgsql
-- A queue is empty most of the time; a plan cached then would read the whole table once it is full.
set enable_seqscan = off set jit = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  first_id constant uuid := '00000000-0000-0000-0000-000000000000';
  last_id constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
begin
  return query
  with recursive known as materialized (
    select * from unnest(known_tenants, known_kinds, known_targets, free, watermarks)
      with ordinality as k (tenant_id, source_kind, target_id, free, watermark, turn)
  ),
  gap as materialized (
    select e.tenant_id, e.source_kind, e.target_id, lead(e.tenant_id, 1, last_id) over w as next_tenant,
      lead(e.source_kind, 1, '') over w as next_kind, lead(e.target_id, 1, last_id) over w as next_target
    from (select k.tenant_id, k.source_kind, k.target_id from known k union all select first_id, '', first_id) e
    window w as (order by e.tenant_id, e.source_kind, e.target_id)
  ),
  fresh as (
    select f.*, g.next_tenant, g.next_kind, g.next_target
    from gap g cross join lateral (
      select o.tenant_id, o.source_kind, o.target_id from carillon.outbox o
      where (o.tenant_id, o.source_kind, o.target_id) > (g.tenant_id, g.source_kind, g.target_id)
        and (o.tenant_id, o.source_kind, o.target_id) < (g.next_tenant, g.next_kind, g.next_target)
      order by o.tenant_id, o.source_kind, o.target_id limit 1
    ) f
    union all
    select f.*, p.next_tenant, p.next_kind, p.next_target
    from fresh p cross join lateral (
      select o.tenant_id, o.source_kind, o.target_id from carillon.outbox o
      where (o.tenant_id, o.source_kind, o.target_id) > (p.tenant_id, p.source_kind, p.target_id)
        and (o.tenant_id, o.source_kind, o.target_id) < (p.next_tenant, p.next_kind, p.next_target)
      order by o.tenant_id, o.source_kind, o.target_id limit 1
    ) f
  ),
  lane as (
    select k.turn, k.tenant_id, k.source_kind, k.target_id, k.free, k.watermark from known k where k.free > 0
    union all
    select 0, f.tenant_id, f.source_kind, f.target_id, h.slots, '-infinity'
    from fresh f join unnest(kinds, slots) as h (source_kind, slots) on h.source_kind = f.source_kind
  ),
  wanted as materialized (
    select due.row_ctid
    from (select * from lane order by lane.turn) l
    cross join lateral (
      select o.ctid as row_ctid from carillon.outbox o
      where o.tenant_id = l.tenant_id and o.source_kind = l.source_kind and o.target_id = l.target_id
        and o.next_attempt_at >= l.watermark and o.next_attempt_at <= now()::timestamptz(3)
        and (o.lease_until is null or o.lease_until <= now())
        and (o.ordering_key is null or not exists (
          select from carillon.outbox e where e.tenant_id = o.tenant_id and e.source_kind = o.source_kind
            and e.target_id = o.target_id and e.ordering_key = o.ordering_key and e.seq < o.seq))
      order by o.next_attempt_at, o.seq limit l.free
      for update skip locked
    ) due
    limit max_rows
  )
  update carillon.outbox o set
    lease_owner = owner, lease_until = now() + make_interval(secs => lease_seconds), attempt_count = o.attempt_count + 1,
    claim_count = o.claim_count + 1, first_attempt_at = coalesce(o.first_attempt_at, now())
  from wanted w where o.ctid = w.row_ctid
  returning o.id, o.seq, o.tenant_id, o.source_kind, o.op, o.target_id, o.payload, o.context, o.ordering_key,
    o.batch_size, o.trigger_depth, o.attempt_count, o.max_attempts, o.backoff, o.base_ms, o.cap_ms, o.jitter,
    o.claim_count, o.next_attempt_at, o.created_at;
end
$$;
