-- Puts devices that their push service refuses into quarantine: nothing is sent to them. If the service is sure, for good,
-- unless the device was registered after that; in doubt, for a day, and for good from the fifth refusal on. When many of a
-- tenant's devices are refused within an hour, the settings are probably at fault: they stay in use, and operators are
-- told. Returns how many were named.
create or replace function carillon.quarantine_devices(reports jsonb) returns integer language plpgsql strict
set enable_seqscan = off as $$
declare
  -- At least so many, and at least this part of all devices of the kind.
  wave_devices constant integer := 10;
  wave_part constant float8 := 0.2;
  -- Counting further would not change the answer.
  most_counted constant integer := 500;
  report record;
  refused record;
  recent integer;
  known integer;
  named integer := 0;
begin
  -- one by one, always in the same order: a join might read every device there is
  for report in
    select distinct on (r.tenant_id, r.id) r.tenant_id, r.id, r.since, coalesce(r.doubtful, false) as doubtful
    from jsonb_to_recordset(reports) as r (tenant_id uuid, id uuid, since timestamptz, doubtful boolean)
    order by r.tenant_id, r.id
  loop
    update carillon.user_devices d set
      rejections = case when d.rejected_since > now() - interval '30 days' then d.rejections + 1 else 1 end,
      rejected_since = case when d.rejected_since > now() - interval '30 days' then d.rejected_since else now() end,
      is_gone = not report.doubtful or (d.rejections >= 4 and d.rejected_since > now() - interval '30 days'),
      retry_at = now() + interval '1 day'
    where d.tenant_id = report.tenant_id and d.id = report.id and not d.is_gone
      and (report.since is null or d.updated_at <= report.since);
    named := named + 1;
  end loop;

  for refused in
    select distinct r.tenant_id, (
      select d.kind from carillon.user_devices d where d.tenant_id = r.tenant_id and d.id = r.id
    ) as kind
    from jsonb_to_recordset(reports) as r (tenant_id uuid, id uuid) order by 1, 2
  loop
    select count(*) into recent from (
      select from carillon.user_devices d
      where d.tenant_id = refused.tenant_id and d.kind = refused.kind and d.rejected_since > now() - interval '1 hour'
      limit most_counted
    ) counted;
    continue when recent < wave_devices;
    select count(*) into known from (
      select from carillon.user_devices d where d.tenant_id = refused.tenant_id and d.kind = refused.kind
      limit (recent / wave_part)::integer + 1
    ) counted;
    continue when recent < known * wave_part;
    update carillon.user_devices d set is_gone = false, retry_at = null
    where d.tenant_id = refused.tenant_id and d.kind = refused.kind and d.rejected_since > now() - interval '1 hour'
      and d.retry_at is not null;
    perform carillon.raise_system_event(
      refused.tenant_id, 'devices_refused', refused.kind, 'high',
      format('Many devices of the kind %s were refused within an hour. They are kept: check the settings of the provider, '
        'such as its environment and its credentials.', refused.kind),
      jsonb_build_object('devices', recent), 3600
    );
  end loop;
  return named;
end
$$;
