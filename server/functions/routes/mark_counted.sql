-- Notes on claimed routes the day whose cap counts them: should their worker die, the place stays theirs. Answers how many
-- were still the owner's.
create or replace function carillon.mark_counted(owner text, counted jsonb) returns integer language plpgsql strict
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
declare
  marked integer;
begin
  update carillon.routes r set counted_on = c.day
  from jsonb_to_recordset(counted) as c (
    tenant_id uuid, notification_id uuid, route_id text, claim_count integer, day date
  )
  where r.tenant_id = c.tenant_id and r.notification_id = c.notification_id and r.route_id = c.route_id
    and r.lease_owner = owner and r.claim_count = c.claim_count;
  get diagnostics marked = row_count;
  return marked;
end
$$;
