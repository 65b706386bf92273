-- The type of notifications about system events. A tenant may change it like any other; deleted, it comes back.
create or replace function carillon.ensure_system_event_type(tenant uuid) returns void language sql as $$
  insert into carillon.notification_types (tenant_id, name, description, category, channels)
  values (tenant, 'system_event', 'Something that operators should know', 'system', '{in_app,email}')
  on conflict do nothing
$$;
