-- Accepts one intent inside the caller's own transaction: commit = accepted, rollback = nothing.
-- Returns the notification's id; for a repeated key with the same content, the first one's. Bad input raises.
-- This is the entry that applications are granted. New fields are added to the document; the signature never changes.
create or replace function carillon.notify(intent jsonb) returns uuid language sql
-- So that the application's role needs only this function, never the tables. Whoever creates a function that runs with its
-- owner's rights takes it from public (platform/database/functions.ts), once: later grants are the administrator's.
security definer set search_path = carillon, pg_temp as $$
  select carillon.notify_with_payload(intent, null)
$$;

-- The same with one argument per field, and the payload kept byte for byte. It gets no new fields.
create or replace function carillon.notify(
  notification_type text,
  audience jsonb,
  payload json,
  idempotency_key text default null,
  channels text[] default null,
  producer text default null,
  send_at timestamptz default null,
  expires_at timestamptz default null,
  occurred_at timestamptz default null,
  traceparent text default null,
  tenant text default 'default',
  reason text default null, send_at_local text default null, template text default null
) returns uuid language plpgsql
security definer set search_path = carillon, pg_temp as $$
declare
  content jsonb;
  given jsonb;
begin
  begin
    content := payload::jsonb;
  exception when data_exception or program_limit_exceeded then
    raise exception 'carillon.notify: invalid_payload: payload cannot be stored: %', sqlerrm
      using errcode = 'invalid_parameter_value', column = 'payload';
  end;
  -- A null argument counts as not given, except for tenant, where it is a mistake.
  select jsonb_object_agg(f.key, f.value) into given
  from jsonb_each(jsonb_build_object(
    'notification_type', notification_type, 'audience', audience, 'payload', content, 'idempotency_key', idempotency_key,
    'channels', channels, 'producer', producer, 'send_at', to_jsonb(send_at at time zone 'UTC') #>> '{}' || 'Z',
    'expires_at', to_jsonb(expires_at at time zone 'UTC') #>> '{}' || 'Z',
    'occurred_at', to_jsonb(occurred_at at time zone 'UTC') #>> '{}' || 'Z', 'traceparent', traceparent, 'tenant', tenant,
    'reason', reason, 'send_at_local', send_at_local, 'template', template
  )) f
  where f.value <> 'null' or f.key = 'tenant';
  return carillon.notify_with_payload(given, payload::text);
end
$$;
