-- Writes one event into the log inside the caller's own transaction: commit = it happened, rollback = it never did.
-- Returns the event's id; for a repeated key with the same content, the first one's. Bad input raises.
-- This is an entry that applications are granted. New fields are added to the document; the signature never changes.
create or replace function carillon.emit_event(event jsonb) returns uuid language plpgsql
-- So that the application's role needs only this function, never the tables.
security definer set search_path = carillon, pg_temp as $$
declare
  max_bytes constant integer := 4096;
  tenant constant text := coalesce(event ->> 'tenant', 'default');
  problem record;
  tenant_id uuid;
  payload_json text;
  answer record;
begin
  select * into problem from carillon.event_problem(event);
  if problem.code is null then
    payload_json := coalesce(event -> 'payload', '{}')::text;
    tenant_id := (select t.id from carillon.tenants t where t.name = tenant);
    if octet_length(payload_json) > max_bytes then
      select 'payload_too_large' as code, 'payload' as field, format('the payload has more than %s bytes', max_bytes) as message
      into problem;
    elsif tenant_id is null then
      select 'invalid_request' as code, 'tenant' as field, format('no tenant is named "%s"', tenant) as message into problem;
    end if;
  end if;
  if problem.code is not null then
    raise exception 'carillon.emit_event: %: %', problem.code, problem.message
      using errcode = 'invalid_parameter_value', column = problem.field;
  end if;

  select * into answer from carillon.append_events(jsonb_build_array(
    event - array['tenant', 'payload', 'traceparent'] || jsonb_build_object(
      'ord', 0, 'tenant_id', tenant_id, 'producer', coalesce(event ->> 'producer', 'sql:' || session_user),
      'payload_json', payload_json,
      -- the standard says to drop one that is not well-formed
      'traceparent', substring(event ->> 'traceparent' from '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$')
    )
  ));
  if answer.outcome in ('accepted', 'duplicate') then
    return answer.event_id;
  end if;
  raise exception 'carillon.emit_event: %: %', answer.failure_code, answer.failure_message
    using errcode = case answer.outcome when 'conflict' then 'unique_violation' else 'invalid_parameter_value' end,
      column = answer.failure_field;
end
$$;
