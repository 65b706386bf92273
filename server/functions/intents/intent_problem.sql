-- What is wrong with an intent's shape; code is null when nothing is. The same fields, limits and codes as the schema for
-- HTTP callers (contract/src/intents.ts): intake/intents/shape.test.ts runs one table of cases through both.
create or replace function carillon.intent_problem(intent jsonb, out code text, out field text, out message text)
language plpgsql stable as $$
declare
  rule record;
  value jsonb;
  known text[] := '{}';
begin
  if jsonb_typeof(intent) is distinct from 'object' then
    select 'invalid_request', 'body', 'an intent is a JSON object' into code, field, message;
    return;
  end if;
  for rule in
    select * from (values
      ('notification_type', 'name', 100, true), ('producer', 'name', 100, false), ('idempotency_key', 'name', 255, false),
      ('audience', 'audience', null, true), ('channels', 'channels', null, false), ('payload', 'payload', null, true),
      ('send_at', 'time', null, false), ('send_at_local', 'wall_time', null, false), ('expires_at', 'time', null, false),
      ('occurred_at', 'time', null, false), ('request_id', 'name', 200, false), ('template', 'name', 100, false),
      ('reason', 'name', 32, false), ('thread', 'thread', null, false), ('email', 'options', null, false), ('sms', 'options', null, false),
      ('chat', 'options', null, false),
      -- over HTTP the API key determines the tenant, and a header carries the trace
      ('tenant', 'name', 100, false), ('traceparent', 'text', null, false)
    ) as rules (field, kind, most, is_required)
  loop
    known := known || rule.field;
    value := intent -> rule.field;
    field := rule.field;
    if value is null then
      if rule.is_required then
        code := 'missing_field';
        message := format('%s is required', field);
        return;
      end if;
      continue;
    end if;
    case rule.kind
      when 'name' then
        message := carillon.name_problem(value, rule.most);
        code := 'invalid_request';
      when 'time' then
        message := carillon.time_problem(value);
        code := 'invalid_timestamp';
      when 'wall_time' then
        message := carillon.wall_time_problem(value);
        code := 'invalid_timestamp';
      when 'text' then
        message := case when jsonb_typeof(value) <> 'string' then 'must be a string' end;
        code := 'invalid_request';
      when 'channels' then
        select c.field, c.message into field, message from carillon.channels_problem(value) c;
        code := 'invalid_audience';
      when 'audience' then
        select a.code, a.field, a.message into code, field, message from carillon.audience_problem(value) a;
      when 'thread' then
        select t.code, t.field, t.message into code, field, message from carillon.thread_problem(value) t;
      when 'options' then
        select o.code, o.field, o.message into code, field, message from carillon.options_problem(rule.field, value) o;
      when 'payload' then
        message := case when jsonb_typeof(value) <> 'object' then 'must be a JSON object' end;
        code := 'invalid_payload';
    end case;
    if message is not null then
      message := format('%s %s', field, message);
      return;
    end if;
  end loop;

  select min(name) into field from jsonb_object_keys(intent) name where name <> all (known);
  if field is not null then
    code := 'invalid_request';
    message := format('"%s" is not a field of an intent', field);
  elsif carillon.has_oversized_number(intent -> 'payload') then
    select 'invalid_payload', 'payload',
      'payload must not contain numbers of 10^1000 or more, or with more than 999 decimal places' into code, field, message;
  elsif (
    select sum(carillon.attachment_bytes(a ->> 'content')) > 5242880 from jsonb_array_elements(intent #> '{email,attachments}') a
  ) then
    select 'payload_too_large', 'email.attachments', 'the attachments have more than 5242880 bytes' into code, field, message;
  elsif (intent -> 'email' ? 'cc' or intent -> 'email' ? 'bcc') and coalesce(jsonb_array_length(case intent #>> '{audience,kind}'
      when 'users' then intent #> '{audience,user_ids}' when 'addresses' then intent #> '{audience,addresses}' end), 0) <> 1 then
    code := 'invalid_request';
    field := case when intent -> 'email' ? 'cc' then 'email.cc' else 'email.bcc' end;
    message := 'copies need an audience of one person or address: everybody in it gets a mail of their own';
  elsif intent ? 'send_at' and intent ? 'send_at_local' then
    select 'invalid_timestamp', 'send_at_local', 'give send_at or send_at_local, not both' into code, field, message;
  -- compared as stored, in milliseconds
  elsif date_trunc('milliseconds', (intent ->> 'expires_at')::timestamptz)
      <= date_trunc('milliseconds', (intent ->> 'send_at')::timestamptz) then
    select 'invalid_timestamp', 'expires_at', 'expires_at must be later than send_at' into code, field, message;
  else
    code := null;
  end if;
end
$$;
