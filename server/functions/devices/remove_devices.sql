-- Devices of which their service says that nobody is there any more. Answers how many there were.
create or replace function carillon.remove_devices(gone jsonb) returns integer language plpgsql strict
set enable_seqscan = off as $$
declare
  removed integer;
begin
  delete from carillon.user_devices d
  using jsonb_to_recordset(gone) as g (tenant_id uuid, id uuid)
  where d.tenant_id = g.tenant_id and d.id = g.id;
  get diagnostics removed = row_count;
  return removed;
end
$$;
