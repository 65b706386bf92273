-- Tells operators that a tenant has used up a quota. Asked for every refusal, so most calls only look for the open event.
create or replace function carillon.raise_quota_event(tenant uuid, quota text, description text) returns void
language plpgsql as $$
begin
  if not exists (
    select from carillon.admin_system_events e
    where e.tenant_id = tenant and e.created_at > now() - interval '1 hour' and e.event_type = 'quota_exceeded'
      and e.subject = quota and not e.is_resolved
  ) then
    perform carillon.raise_system_event(tenant, 'quota_exceeded', quota, 'high', description, '{}', 3600);
  end if;
end
$$;
