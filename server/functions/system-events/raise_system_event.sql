-- Raises an event for operators, or counts it on the open one about the same subject that is younger than the cool-down;
-- that one takes the highest severity it was raised with, and the words that came with it.
-- It is a function because each of its statements sees what was committed while it waited for the lock: two processes that
-- raise the same event at once agree on one row.
create or replace function carillon.raise_system_event(
  tenant uuid, kind text, about text, severity text, description text, details jsonb, cool_down_seconds float8
) returns setof carillon.admin_system_events language plpgsql as $$
#variable_conflict use_column
declare
  -- below the table's own limit, with room for the counter
  max_bytes constant integer := 16000;
  severities constant text[] := array['low', 'medium', 'high', 'critical'];
  given jsonb := raise_system_event.details;
  open_event carillon.admin_system_events;
  is_worse boolean;
begin
  -- Details are context, not storage: if they are too large, only the names of their fields are kept.
  if octet_length(given::text) > max_bytes then
    select jsonb_build_object('omitted', jsonb_agg(left(name, 80))) into given
    from (select name from jsonb_object_keys(given) name limit 40) first_names;
  end if;
  perform pg_advisory_xact_lock(hashtextextended(format('system event %s %s %s', kind, about, tenant), 0));
  select * into open_event from carillon.admin_system_events e
  where e.tenant_id is not distinct from tenant and e.event_type = kind and e.subject = about and not e.is_resolved
    and e.created_at > now() - make_interval(secs => cool_down_seconds)
  order by e.created_at desc limit 1;
  if open_event.id is null then
    return query insert into carillon.admin_system_events as e (tenant_id, event_type, subject, severity, description, details)
      values (tenant, kind, about, raise_system_event.severity, raise_system_event.description, given || '{"count": 1}')
      returning e.*;
    return;
  end if;
  if octet_length((open_event.details || given)::text) <= max_bytes then
    given := open_event.details || given;
  end if;
  is_worse := array_position(severities, raise_system_event.severity) > array_position(severities, open_event.severity);
  return query update carillon.admin_system_events e
    set severity = case when is_worse then raise_system_event.severity else e.severity end,
      description = case when is_worse then raise_system_event.description else e.description end,
      details = given || jsonb_build_object(
      'count', coalesce((open_event.details ->> 'count')::integer, 1) + 1, 'last_raised_at', now()
    )
    where e.id = open_event.id returning e.*;
end
$$;
