-- The shape rules that HTTP callers meet in the API's schema, for callers of carillon.notify().
create or replace function carillon.check_intent(
  notification_type text, audience jsonb, payload json, idempotency_key text, channels text[], producer text,
  send_at timestamptz, expires_at timestamptz, reason text, send_at_local text, template text
) returns void language plpgsql as $$
declare
  problem text;
  kind text := audience ->> 'kind';
  list text := case kind when 'users' then 'user_ids' when 'addresses' then 'addresses' end;
  unknown_field text := (
    select min(name) from jsonb_object_keys(case jsonb_typeof(audience) when 'object' then audience end) name
    where name not in ('kind', coalesce(list, 'kind')) and not (kind = 'addresses' and name = 'channel')
      and not (kind = 'topic' and name = 'topic')
  );
  longest integer := case kind when 'users' then 200 else 500 end;
  control constant text := '[\u0001-\u001f\u007f]';
  wide_number constant text := '[eE][+-]?[0-9]{4}';
begin
  problem := case
    when notification_type is null or length(notification_type) not between 1 and 100 or notification_type ~ control
      then 'notification_type must have 1 to 100 characters and no control characters'
    when length(producer) not between 1 and 100 or producer ~ control
      then 'producer must have 1 to 100 characters and no control characters'
    when length(idempotency_key) not between 1 and 255 or idempotency_key ~ control
      then 'idempotency_key must have 1 to 255 characters and no control characters'
    when length(reason) not between 1 and 32 or reason ~ control
      then 'reason must have 1 to 32 characters and no control characters'
    when length(template) not between 1 and 100 or template ~ control
      then 'template must have 1 to 100 characters and no control characters'
    when payload is null or json_typeof(payload) <> 'object' then 'payload must be a JSON object'
    when octet_length(payload::text) > 65536 then 'payload_too_large: the payload has more than 65536 bytes'
    -- Seven bytes of JSON may be a hundred thousand digits in the database. Strings may hold what they like.
    when payload::text ~ wide_number
      and regexp_replace(payload::text, '"[^"\\]*(\\.[^"\\]*)*"', '""', 'g') ~ wide_number
      then 'payload may not have numbers with an exponent beyond 999'
    when kind is null or kind not in ('users', 'addresses', 'topic', 'tenant', 'admin_email')
      then 'audience.kind must be users, addresses, topic, tenant or admin_email'
    when unknown_field is not null then format('audience.%s is not a field of the kind %s', unknown_field, kind)
    when list is not null and coalesce(jsonb_typeof(audience -> list), '') <> 'array'
      then format('audience.%s must be an array of strings', list)
    when list is not null and jsonb_array_length(audience -> list) not between 1 and 10000
      then format('audience.%s must have 1 to 10000 entries', list)
    when list is not null and exists (
      select from jsonb_array_elements(audience -> list) entry
      where jsonb_typeof(entry) <> 'string' or length(entry #>> '{}') not between 1 and longest or entry #>> '{}' ~ control
    ) then format('audience.%s must hold strings of 1 to %s characters without control characters', list, longest)
    when kind = 'topic' and (coalesce(length(audience ->> 'topic'), 0) not between 1 and 200 or audience ->> 'topic' ~ control)
      then 'audience.topic must have 1 to 200 characters and no control characters'
    when kind = 'addresses' and coalesce(audience ->> 'channel', '') not in ('email', 'sms', 'push', 'chat', 'webhook')
      then 'audience.channel must be email, sms, push, chat or webhook'
    when channels = '{}' or not channels <@ array['in_app', 'email', 'sms', 'push', 'chat', 'webhook']
      then 'channels must name in_app, email, sms, push, chat or webhook'
    when send_at_local !~ '^[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2})?$'
      then 'send_at_local must be a time without a zone, such as 2026-12-24T09:00'
    when send_at is not null and send_at_local is not null then 'give send_at or send_at_local, not both'
    when expires_at <= send_at then 'expires_at must lie after send_at'
  end;
  if problem is null then
    begin
      perform payload::jsonb;
    exception when data_exception or program_limit_exceeded then
      problem := format('payload cannot be stored: %s', sqlerrm);
    end;
    begin
      perform send_at_local::timestamp;
    exception when data_exception then
      problem := format('send_at_local is no time: %s', sqlerrm);
    end;
  end if;
  if problem is not null then
    raise exception 'carillon.notify: %', problem using errcode = 'invalid_parameter_value';
  end if;
end
$$;
