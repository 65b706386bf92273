-- Accepts one intent inside the caller's own transaction: commit = accepted, rollback = nothing.
-- Returns the notification's id; for a repeated key with the same content, the first one's. Bad input raises.
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
-- The application's role needs this function only, never the tables.
security definer set search_path = carillon, pg_temp as $$
declare
  tenant_id uuid := (select t.id from carillon.tenants t where t.name = tenant);
  answer record;
begin
  if tenant_id is null then
    raise exception 'carillon.notify: no tenant is named "%"', tenant using errcode = 'invalid_parameter_value';
  end if;
  perform carillon.check_intent(
    notification_type, audience, payload, idempotency_key, channels, producer, send_at, expires_at, reason, send_at_local,
    template
  );
  select * into answer from carillon.accept_intents(jsonb_build_array(jsonb_build_object(
    'ord', 0, 'tenant_id', tenant_id, 'notification_id', carillon.uuid_v7(), 'notification_type', notification_type,
    'producer', coalesce(producer, 'sql:' || session_user), 'idempotency_key', idempotency_key, 'audience', audience,
    'channels', to_jsonb(channels), 'payload_json', payload::text, 'send_at', send_at,
    'send_at_local', send_at_local, 'expires_at', expires_at, 'occurred_at', occurred_at, 'source', 'sql',
    'reason', reason, 'template', template,
    -- as the standard asks, one that does not follow it is dropped
    'traceparent', substring(traceparent from '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$')
  )));
  if answer.outcome in ('accepted', 'duplicate') then
    return answer.notification_id;
  end if;
  raise exception 'carillon.notify: %: %', answer.failure_code, answer.failure_message
    using errcode = case answer.outcome when 'conflict' then 'unique_violation' else 'invalid_parameter_value' end,
      column = answer.failure_field;
end
$$;
revoke execute on function carillon.notify from public;
