-- Whether the person has read the notification in the inbox. One inbox row may stand for all notifications of a digest.
create or replace function carillon.was_read(tenant uuid, notification uuid, recipient text) returns boolean
language sql stable as $$
  select exists (
    select from carillon.routes i
    join carillon.notifications n on n.tenant_id = i.tenant_id and n.route_id = i.route_id
      and n.record_id = case when i.reason = 'digested' then i.digest_id else i.notification_id end
    where i.tenant_id = tenant and i.notification_id = notification and i.route_id = 'in_app:' || recipient and n.is_read
  )
$$;
