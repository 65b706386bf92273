-- Moves every route of these records to the archive, with its attempts. Only archive_records() calls it, which has locked
-- them. A statement that deletes and inserts moves the row as it is by then, whatever was reported about it meanwhile.
-- Returns the number of routes.
create or replace function carillon.archive_routes(tenant uuid, records uuid[]) returns integer language plpgsql
set enable_seqscan = off set jit = off as $$
declare
  moved_routes integer;
begin
  with moved as (
    delete from carillon.route_attempts a where a.tenant_id = tenant and a.notification_id = any (records) returning a.*
  )
  insert into carillon.route_attempts_archive select * from moved;
  with moved as (
    delete from carillon.routes r where r.tenant_id = tenant and r.notification_id = any (records) returning r.*
  )
  insert into carillon.routes_archive select * from moved;
  get diagnostics moved_routes = row_count;
  return moved_routes;
end
$$;
