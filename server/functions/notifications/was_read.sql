-- Whether the person has read the notification in the inbox. One inbox row may stand for all notifications of a digest, or
-- for all of a thread: when that row is read, everything it stands for is.
create or replace function carillon.was_read(tenant uuid, notification uuid, recipient text) returns boolean
language sql stable as $$
  select exists (
    select from carillon.routes i
    join carillon.notifications n on n.tenant_id = i.tenant_id and n.route_id = i.route_id
      and n.record_id = case when i.reason = 'digested' then i.digest_id else i.notification_id end
    where i.tenant_id = tenant and i.notification_id = notification and i.route_id = 'in_app:' || recipient and n.is_read
  ) or exists (
    select from carillon.records r
    join carillon.notifications n on n.tenant_id = r.tenant_id and n.user_id = substr(recipient, length('user:') + 1)
      and n.thread_kind = r.thread_kind and n.thread_id = r.thread_id
    where r.tenant_id = tenant and r.notification_id = notification and r.thread_id is not null
      and recipient like 'user:%' and n.is_read
  ) or exists (
    -- of an event without a thread
    select from carillon.records r
    join carillon.domain_events e on e.tenant_id = r.tenant_id and e.event_id = r.event_id
    join carillon.notifications n on n.tenant_id = r.tenant_id and n.user_id = substr(recipient, length('user:') + 1)
      and n.source_event_id = e.id and n.thread_id is null
    where r.tenant_id = tenant and r.notification_id = notification and recipient like 'user:%' and n.is_read
  )
$$;
