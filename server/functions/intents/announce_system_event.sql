-- Sends a new system event to the people whom its tenant named for that, as an ordinary notification: their preferences
-- decide how it reaches them. Events of the whole instance go to those of its first tenant, which is the operator's.
-- Announcements come to an end even if they are what fails: an event that is counted instead of repeated is not announced
-- again, and after fifty events of an hour that were worth announcing no more are. One that was counted and became more
-- severe is announced once for each severity.
create or replace function carillon.announce_system_event() returns trigger language plpgsql as $$
declare
  max_per_hour constant integer := 50;
  max_depth constant integer := 8;
  severities constant text[] := array['low', 'medium', 'high', 'critical'];
  depth constant integer := coalesce((new.details ->> 'trigger_depth')::integer, 0);
  told record;
begin
  if carillon.is_importing() then
    return null;
  end if;
  select s.tenant_id, severities[array_position(severities, s.system_event_min_severity):] as announced, array(
    select u.id from carillon.users u where u.tenant_id = s.tenant_id and u.id = any (s.system_event_admins)
  ) as admins into told
  from carillon.tenant_settings s
  where s.tenant_id = coalesce(new.tenant_id, (select f.id from carillon.tenants f order by f.created_at, f.id limit 1))
    and array_position(severities, new.severity) >= array_position(severities, s.system_event_min_severity);
  if not found or told.admins = '{}' or depth >= max_depth or max_per_hour < (
    select count(*) from (
      select from carillon.admin_system_events e
      where e.tenant_id is not distinct from new.tenant_id and e.created_at > now() - interval '1 hour'
        and e.severity = any (told.announced)
      limit max_per_hour + 1
    ) recent
  ) then
    return null;
  end if;
  perform carillon.ensure_system_event_type(told.tenant_id);
  perform carillon.accept_intents(jsonb_build_array(jsonb_build_object(
    'ord', 0, 'tenant_id', told.tenant_id, 'notification_id', carillon.uuid_v7(), 'source', 'system_event',
    'notification_type', 'system_event', 'producer', 'carillon', 'idempotency_key', concat_ws(':', 'system_event', new.id, case when tg_op = 'UPDATE' then new.severity end),
    'audience', jsonb_build_object('kind', 'users', 'user_ids', told.admins),
    'payload_json', jsonb_build_object(
      'title', left(new.description, 500), 'system_event_id', new.id, 'event_type', new.event_type,
      'subject', new.subject, 'severity', new.severity,
      'text', format('%s (%s%s)', new.description, new.event_type, coalesce(', ' || nullif(new.subject, ''), ''))
    )::text,
    'reason', 'system_event', 'trigger_depth', depth + 1
  )));
  return null;
exception when others then
  -- The event itself matters more than telling people about it.
  raise warning 'carillon: system event % could not be announced: %', new.id, sqlerrm;
  return null;
end
$$;
create or replace trigger admin_system_events_announced after insert on carillon.admin_system_events
  for each row execute function carillon.announce_system_event();
create or replace trigger admin_system_events_worsened after update of severity on carillon.admin_system_events
  for each row when (new.severity <> old.severity) execute function carillon.announce_system_event();
