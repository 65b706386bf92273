-- Lifts the suppressions of people who want messages again. Only those that they asked for themselves: a number that does
-- not exist stays suppressed. Returns how many there were.
create or replace function carillon.lift_suppressions(addresses jsonb) returns integer language plpgsql strict as $$
declare
  lifted integer;
begin
  delete from carillon.suppressions s
  using jsonb_to_recordset(addresses) as a (tenant_id uuid, channel text, address text)
  where s.tenant_id = a.tenant_id and s.channel = a.channel and s.address = lower(coalesce(carillon.normal_address(a.channel, a.address), a.address))
    and s.reason = 'unsubscribed';
  get diagnostics lifted = row_count;
  return lifted;
end
$$;
