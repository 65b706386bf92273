-- Tells endpoints when inbox rows are marked as read, whatever statement does it.
create or replace function carillon.emit_read_events() returns trigger language plpgsql as $$
begin
  perform carillon.emit_events((
    select jsonb_agg(jsonb_build_object(
      'event', 'notification.read', 'tenant_id', a.tenant_id, 'notification_id', a.record_id, 'route_id', a.route_id,
      'inbox_id', a.id
    ))
    from after_change a join before_change b on b.id = a.id
    where a.is_read and not b.is_read and exists (
      select from carillon.endpoints_for(a.tenant_id, 'notification.read', array[a.user_id]))
  ));
  return null;
end
$$;
create or replace trigger notifications_read after update on carillon.notifications
  referencing old table as before_change new table as after_change
  for each statement execute function carillon.emit_read_events();
