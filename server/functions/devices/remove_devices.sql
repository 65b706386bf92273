-- Removes devices that their push service reports as gone. Returns how many were named.
create or replace function carillon.remove_devices(gone jsonb) returns integer language plpgsql strict
set enable_seqscan = off as $$
declare
  device record;
  named integer := 0;
begin
  -- one by one, always in the same order: a join might read every device there is
  for device in
    select distinct g.tenant_id, g.id from jsonb_to_recordset(gone) as g (tenant_id uuid, id uuid) order by 1, 2
  loop
    delete from carillon.user_devices d where d.tenant_id = device.tenant_id and d.id = device.id;
    named := named + 1;
  end loop;
  return named;
end
$$;
