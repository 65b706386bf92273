-- What both forms of carillon.notify() do. Without `payload_text`, the payload is stored as jsonb prints it.
create or replace function carillon.notify_with_payload(intent jsonb, payload_text text) returns uuid language plpgsql as $$
declare
  max_bytes constant integer := 65536;
  tenant constant text := coalesce(intent ->> 'tenant', 'default');
  problem record;
  tenant_id uuid;
  payload_json text;
  answer record;
begin
  select * into problem from carillon.intent_problem(intent);
  if problem.code is null then
    payload_json := coalesce(payload_text, (intent -> 'payload')::text);
    tenant_id := (select t.id from carillon.tenants t where t.name = tenant);
    if octet_length(payload_json) > max_bytes then
      select 'payload_too_large' as code, 'payload' as field, format('the payload has more than %s bytes', max_bytes) as message
      into problem;
    elsif tenant_id is null then
      select 'invalid_request' as code, 'tenant' as field, format('no tenant is named "%s"', tenant) as message into problem;
    end if;
  end if;
  if problem.code is not null then
    raise exception 'carillon.notify: %: %', problem.code, problem.message
      using errcode = 'invalid_parameter_value', column = problem.field;
  end if;

  select * into answer from carillon.accept_intents(jsonb_build_array(jsonb_build_object(
    'ord', 0, 'tenant_id', tenant_id, 'notification_id', carillon.uuid_v7(), 'source', 'sql',
    'notification_type', intent -> 'notification_type', 'producer', coalesce(intent ->> 'producer', 'sql:' || session_user),
    'idempotency_key', intent -> 'idempotency_key', 'audience', intent -> 'audience',
    'channels', (
      select jsonb_agg(c.channel order by c.ordinal) from (
        select channel, min(ordinal) as ordinal from jsonb_array_elements(intent -> 'channels')
          with ordinality as given (channel, ordinal) group by channel
      ) c
    ),
    'payload_json', payload_json, 'send_at', intent -> 'send_at', 'send_at_local', intent -> 'send_at_local',
    'expires_at', intent -> 'expires_at', 'occurred_at', intent -> 'occurred_at', 'request_id', intent -> 'request_id',
    'reason', intent -> 'reason', 'template', intent -> 'template', 'thread', intent -> 'thread',
    'options', (
      select jsonb_object_agg(o.key, o.value) from jsonb_each(intent) o where o.key in ('email', 'sms', 'chat')
    ),
    -- the standard says to drop one that is not well-formed
    'traceparent', substring(intent ->> 'traceparent' from '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$')
  )));
  if answer.outcome in ('accepted', 'duplicate') then
    return answer.notification_id;
  end if;
  raise exception 'carillon.notify: %: %', answer.failure_code, answer.failure_message
    using errcode = case answer.outcome when 'conflict' then 'unique_violation' else 'invalid_parameter_value' end,
      column = answer.failure_field;
end
$$;
