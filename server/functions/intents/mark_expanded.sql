-- Notes that the whole audience of a record has become routes.
create or replace function carillon.mark_expanded(tenant uuid, notification uuid) returns void language plpgsql
set enable_seqscan = off as $$
begin
  update carillon.records r set expanded_at = now(), updated_at = now()
  where r.tenant_id = tenant and r.notification_id = notification;
end
$$;
