-- Stores on claimed routes the day whose cap counts them, so that a route whose worker dies is not counted again. Returns
-- how many were still the owner's.
create or replace function carillon.mark_counted(
  owner text, tenants uuid[], notifications uuid[], routes text[], claims integer[], days date[]
) returns integer language plpgsql strict
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  marked integer;
begin
  update carillon.routes r set counted_on = c.day
  from (
    -- `limit` keeps it one lookup per route: as a join it became a scan of all routes while statistics were missing.
    select claim.day, found.row_ctid
    from unnest(tenants, notifications, routes, claims, days)
      as claim (tenant_id, notification_id, route_id, claim_count, day)
    cross join lateral (
      select m.ctid as row_ctid from carillon.routes m
      where m.tenant_id = claim.tenant_id and m.notification_id = claim.notification_id and m.route_id = claim.route_id
        and m.lease_owner = owner and m.claim_count = claim.claim_count
      limit 1 for update
    ) found
  ) c
  where r.ctid = c.row_ctid;
  get diagnostics marked = row_count;
  return marked;
end
$$;
