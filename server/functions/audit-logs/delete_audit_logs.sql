-- The application's role cannot delete audit rows, so this runs with the rights of the owner; the trigger refuses whatever
-- the tenant keeps. Returns how many there were.
create or replace function carillon.delete_audit_logs(places tid[]) returns integer language plpgsql
security definer set search_path = carillon, pg_temp as $$
declare
  deleted integer;
begin
  delete from carillon.audit_logs where ctid = any (places);
  get diagnostics deleted = row_count;
  return deleted;
end
$$;
