-- Suppresses addresses: they get nothing more from now on. The first reason stays, since it says when and why it began.
-- Returns how many are new.
create or replace function carillon.suppress_addresses(addresses jsonb) returns integer language plpgsql strict as $$
declare
  suppressed integer;
begin
  insert into carillon.suppressions (tenant_id, channel, address, reason, detail)
  select a.tenant_id, a.channel, lower(coalesce(carillon.normal_address(a.channel, a.address), a.address)), a.reason, left(a.detail, 500)
  from jsonb_to_recordset(addresses) as a (tenant_id uuid, channel text, address text, reason text, detail text)
  on conflict do nothing;
  get diagnostics suppressed = row_count;
  return suppressed;
end
$$;
