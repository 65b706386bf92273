-- Tells a tenant's endpoints about its system events. If a dispatch caused the event, its details say how long the chain of
-- dispatches is already, so that webhooks about failing webhooks come to an end.
create or replace function carillon.emit_system_events() returns trigger language plpgsql as $$
begin
  if carillon.is_importing() then
    return null;
  end if;
  perform carillon.emit_events(
    jsonb_build_array(jsonb_build_object(
      'event', case when new.is_resolved then 'system_event.resolved' else 'system_event.raised' end,
      'tenant_id', new.tenant_id, 'system_event_id', new.id
    )),
    coalesce((new.details ->> 'trigger_depth')::integer, 0)
  );
  return null;
end
$$;
create or replace trigger admin_system_events_raised after insert on carillon.admin_system_events
  for each row when (new.tenant_id is not null) execute function carillon.emit_system_events();
create or replace trigger admin_system_events_resolved after update of is_resolved on carillon.admin_system_events
  for each row when (new.tenant_id is not null and new.is_resolved and not old.is_resolved)
  execute function carillon.emit_system_events();
