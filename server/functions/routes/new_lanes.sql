-- Lanes (tenant, channel, priority) that have a route due and are not among the known ones. New ones can only lie between
-- two known ones in the index, so only those gaps are searched: never the dead entries that a busy lane leaves in the index
-- while an old snapshot is open somewhere.
create or replace function carillon.new_lanes(known_tenants uuid[], known_channels text[], known_priorities smallint[])
returns table (tenant_id uuid, channel text, priority smallint) language plpgsql stable
-- A queue is empty most of the time; a plan cached then would read the whole table once it is full.
set enable_seqscan = off set jit = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  first_id constant uuid := '00000000-0000-0000-0000-000000000000';
  last_id constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
begin
  return query
  with recursive gap as materialized (
    select e.tenant_id, e.channel, e.priority, lead(e.tenant_id, 1, last_id) over w as next_tenant,
      lead(e.channel, 1, '') over w as next_channel, lead(e.priority, 1, 0::smallint) over w as next_priority
    from (
      select k.tenant_id, k.channel, k.priority
      from unnest(known_tenants, known_channels, known_priorities) as k (tenant_id, channel, priority)
      union all select first_id, '', 0::smallint
    ) e
    window w as (order by e.tenant_id, e.channel, e.priority)
  ),
  fresh as (
    select f.*, g.next_tenant, g.next_channel, g.next_priority
    from gap g cross join lateral (
      select r.tenant_id, r.channel, r.priority from carillon.routes r
      where r.next_attempt_at is not null
        and (r.tenant_id, r.channel, r.priority) > (g.tenant_id, g.channel, g.priority)
        and (r.tenant_id, r.channel, r.priority) < (g.next_tenant, g.next_channel, g.next_priority)
      order by r.tenant_id, r.channel, r.priority limit 1
    ) f
    union all
    select f.*, p.next_tenant, p.next_channel, p.next_priority
    from fresh p cross join lateral (
      select r.tenant_id, r.channel, r.priority from carillon.routes r
      where r.next_attempt_at is not null
        and (r.tenant_id, r.channel, r.priority) > (p.tenant_id, p.channel, p.priority)
        and (r.tenant_id, r.channel, r.priority) < (p.next_tenant, p.next_channel, p.next_priority)
      order by r.tenant_id, r.channel, r.priority limit 1
    ) f
  )
  select f.tenant_id, f.channel, f.priority from fresh f
  where exists (
    select from carillon.routes r
    where r.tenant_id = f.tenant_id and r.channel = f.channel and r.priority = f.priority and r.next_attempt_at <= now()
      and (r.lease_until is null or r.lease_until <= now()));
end
$$;
