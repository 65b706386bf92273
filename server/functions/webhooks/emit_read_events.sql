-- Tells endpoints when inbox rows are read, whatever statement does it: rows of people, and receipts of what is everybody's.
-- What came from no record is told under the id of its row.
create or replace function carillon.emit_read_events() returns trigger language plpgsql as $$
begin
  perform carillon.emit_events((
    select jsonb_agg(case
      when a.record_id is not null then jsonb_build_object(
        'event', 'notification.read', 'tenant_id', a.tenant_id, 'notification_id', a.record_id, 'route_id', a.route_id,
        'inbox_id', a.id)
      else jsonb_build_object(
        'event', 'notification.read', 'tenant_id', a.tenant_id, 'notification_id', a.id,
        'route_id', 'in_app:user:' || a.user_id, 'inbox_id', a.id, 'reader', a.user_id)
    end)
    from after_change a join before_change b on b.tenant_id = a.tenant_id and b.id = a.id
    where a.is_read and not b.is_read and exists (
      select from carillon.endpoints_for(a.tenant_id, 'notification.read', array[a.user_id]))
  ));
  return null;
end
$$;
create or replace trigger notifications_read after update on carillon.notifications
  referencing old table as before_change new table as after_change
  for each statement execute function carillon.emit_read_events();

create or replace function carillon.emit_receipt_events() returns trigger language plpgsql as $$
begin
  if carillon.is_importing() then
    return null;
  end if;
  perform carillon.emit_events((
    select jsonb_agg(jsonb_build_object(
      'event', 'notification.read', 'tenant_id', a.tenant_id, 'notification_id', a.notification_id,
      'route_id', 'in_app:user:' || a.user_id, 'inbox_id', a.notification_id, 'reader', a.user_id
    ))
    from after_change a
    where a.is_read and exists (select from carillon.endpoints_for(a.tenant_id, 'notification.read', array[a.user_id]))
  ));
  return null;
end
$$;
create or replace function carillon.emit_changed_receipt_events() returns trigger language plpgsql as $$
begin
  perform carillon.emit_events((
    select jsonb_agg(jsonb_build_object(
      'event', 'notification.read', 'tenant_id', a.tenant_id, 'notification_id', a.notification_id,
      'route_id', 'in_app:user:' || a.user_id, 'inbox_id', a.notification_id, 'reader', a.user_id
    ))
    from after_change a
    join before_change b on b.tenant_id = a.tenant_id and b.user_id = a.user_id and b.notification_id = a.notification_id
    where a.is_read and not b.is_read
      and exists (select from carillon.endpoints_for(a.tenant_id, 'notification.read', array[a.user_id]))
  ));
  return null;
end
$$;
create or replace trigger receipts_read after insert on carillon.notification_receipts
  referencing new table as after_change
  for each statement execute function carillon.emit_receipt_events();
create or replace trigger changed_receipts_read after update on carillon.notification_receipts
  referencing old table as before_change new table as after_change
  for each statement execute function carillon.emit_changed_receipt_events();
