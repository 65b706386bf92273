-- The shape rules that HTTP callers meet in the API's schema, for callers of carillon.notify().
create or replace function carillon.check_intent(
  notification_type text, audience jsonb, payload json, idempotency_key text, channels text[], send_at timestamptz,
  expires_at timestamptz
) returns void language plpgsql as $$
declare
  problem text;
  list text := case audience ->> 'kind' when 'users' then 'user_ids' when 'addresses' then 'addresses' end;
begin
  problem := case
    when notification_type is null or length(notification_type) not between 1 and 100
      then 'notification_type must have 1 to 100 characters'
    when payload is null or json_typeof(payload) <> 'object' then 'payload must be a JSON object'
    when octet_length(payload::text) > 65536 then 'payload_too_large: the payload has more than 65536 bytes'
    when length(idempotency_key) not between 1 and 255 then 'idempotency_key must have 1 to 255 characters'
    when audience is null or coalesce(audience ->> 'kind', '') not in ('users', 'addresses', 'topic', 'tenant', 'admin_email')
      then 'audience.kind must be users, addresses, topic, tenant or admin_email'
    when list is not null and coalesce(jsonb_typeof(audience -> list), '') <> 'array'
      then format('audience.%s must be an array of strings', list)
    when list is not null and jsonb_array_length(audience -> list) not between 1 and 10000
      then format('audience.%s must have 1 to 10000 entries', list)
    when list is not null and jsonb_path_exists(audience -> list, '$[*] ? (@.type() != "string" || @ == "")')
      then format('audience.%s must hold non-empty strings only', list)
    when audience ->> 'kind' = 'topic' and coalesce(length(audience ->> 'topic'), 0) not between 1 and 200
      then 'audience.topic must have 1 to 200 characters'
    when audience ->> 'kind' = 'addresses' and coalesce(audience ->> 'channel', '') not in ('email', 'sms', 'push', 'chat', 'webhook')
      then 'audience.channel must be email, sms, push, chat or webhook'
    when channels = '{}' or not channels <@ array['in_app', 'email', 'sms', 'push', 'chat', 'webhook']
      then 'channels must name in_app, email, sms, push, chat or webhook'
    when expires_at <= greatest(now(), coalesce(send_at, now())) then 'expires_at must lie after send_at and in the future'
  end;
  if problem is not null then
    raise exception 'carillon.notify: %', problem using errcode = 'invalid_parameter_value';
  end if;
end
$$;
