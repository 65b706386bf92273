-- Puts aside rows of the outbox that are due but not the first of their ordering key, so that claims need not step over
-- them again and again. Completing the first one makes the next one due; the time set here only matters when somebody
-- deletes rows by hand. A row is put aside only while the first one is locked against being completed: whoever completes it
-- afterwards sees what was put aside. One that is being completed at this moment is left alone with those behind it.
-- Returns how many were put aside.
create or replace function carillon.set_outbox_aside(max_rows integer)
returns integer language plpgsql
set enable_seqscan = off set jit = off set plan_cache_mode = force_generic_plan as $$
declare
  moved integer;
begin
  with blocked as materialized (
    select o.tenant_id, o.id, o.next_attempt_at from carillon.outbox o
    cross join lateral (
      select min(e.seq) as seq from carillon.outbox e where e.tenant_id = o.tenant_id and e.source_kind = o.source_kind
        and e.target_id = o.target_id and e.ordering_key = o.ordering_key
    ) first
    cross join lateral (
      select from carillon.outbox e where e.tenant_id = o.tenant_id and e.source_kind = o.source_kind
        and e.target_id = o.target_id and e.ordering_key = o.ordering_key and e.seq = first.seq
      for key share skip locked
    ) held
    where o.ordering_key is not null and o.seq > 0 and o.next_attempt_at <= now() and o.lease_owner is null
      and first.seq < o.seq
    order by o.next_attempt_at limit max_rows
    for update of o skip locked
  )
  -- A row that a completion has made due since it was read has another time now, and is left alone.
  update carillon.outbox o set next_attempt_at = now() + interval '1 minute'
  from blocked b where o.tenant_id = b.tenant_id and o.id = b.id and o.next_attempt_at = b.next_attempt_at;
  get diagnostics moved = row_count;
  return moved;
end
$$;
