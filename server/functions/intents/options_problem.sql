-- What is wrong with the shape of an intent's `email`, `sms` or `chat`; message is null when nothing is. The same rules as
-- contract/src/channel-options.ts. No plain string has a backslash: see field_problems.sql.
create or replace function carillon.options_problem(channel text, value jsonb, out code text, out field text, out message text)
language plpgsql immutable as $$
declare
  rule record;
  part jsonb;
begin
  code := 'invalid_request';
  field := channel;
  if jsonb_typeof(value) <> 'object' then
    message := 'must be a JSON object';
    return;
  end if;
  for rule in
    select * from (values
      ('email', 'reply_to', 'name', 255), ('email', 'cc', 'names', 255), ('email', 'bcc', 'names', 255),
      ('email', 'preheader', 'name', 200), ('email', 'attachments', 'attachments', null),
      ('sms', 'media', 'media', null), ('chat', 'media', 'media', null), ('chat', 'content_sid', 'sid', null),
      ('chat', 'content_variables', 'variables', null)
    ) as rules (of_channel, name, kind, most)
    where rules.of_channel = options_problem.channel
  loop
    part := value -> rule.name;
    continue when part is null;
    field := channel || '.' || rule.name;
    if rule.kind in ('names', 'attachments', 'media')
        and (jsonb_typeof(part) <> 'array' or jsonb_array_length(part) not between 1 and 10) then
      message := 'must be an array of 1 to 10 entries';
      return;
    end if;
    case rule.kind
      when 'name' then
        message := carillon.name_problem(part, rule.most);
      when 'names' then
        select field || '.' || e.n - 1, carillon.name_problem(e.v, rule.most) into field, message
        from jsonb_array_elements(part) with ordinality as e (v, n)
        where carillon.name_problem(e.v, rule.most) is not null order by e.n limit 1;
      when 'attachments' then
        select a.code, options_problem.field || '.' || e.n - 1 || a.field, a.message into code, field, message
        from jsonb_array_elements(part) with ordinality as e (v, n)
        cross join lateral carillon.attachment_problem(e.v) a
        where a.message is not null order by e.n limit 1;
      when 'media' then
        select field || '.' || e.n - 1, 'must be an https URL' into field, message
        from jsonb_array_elements(part) with ordinality as e (v, n)
        where jsonb_typeof(e.v) <> 'string' or length(e.v #>> '{}') > 2000
          or e.v #>> '{}' !~ '^https://[A-Za-z0-9.-]+(:[0-9]+)?(/[!-~]*)?$'
        order by e.n limit 1;
      when 'sid' then
        message := case when jsonb_typeof(part) <> 'string' or part #>> '{}' !~ '^HX[0-9a-f]{32}$'
          then 'must be HX and 32 hexadecimal digits' end;
      when 'variables' then
        if jsonb_typeof(part) <> 'object' then
          message := 'must be a JSON object';
        else
          select field || '.' || e.key, 'must be a name of letters and digits with a text of at most 1600 characters'
          into field, message from jsonb_each(part) e
          where e.key !~ '^[A-Za-z0-9_]{1,50}$' or jsonb_typeof(e.value) <> 'string' or length(e.value #>> '{}') > 1600
          limit 1;
        end if;
    end case;
    if message is not null then
      return;
    end if;
  end loop;
  code := 'invalid_request';
  select channel || '.' || min(name), 'is not a field of it' into field, message from jsonb_object_keys(value) name
  where name <> all (case channel
    when 'email' then array['reply_to', 'cc', 'bcc', 'preheader', 'attachments']
    when 'sms' then array['media']
    else array['media', 'content_sid', 'content_variables']
  end)
  having count(*) > 0;
end
$$;

create or replace function carillon.attachment_problem(value jsonb, out code text, out field text, out message text)
language plpgsql immutable as $$
begin
  code := 'invalid_request';
  field := '';
  if jsonb_typeof(value) <> 'object' then
    message := 'must be a JSON object';
    return;
  end if;
  select case when value ? name then 'invalid_request' else 'missing_field' end, '.' || name, problem
  into code, field, message
  from (values
    (1, 'filename', coalesce(carillon.name_problem(value -> 'filename', 200),
      case when coalesce(value ->> 'filename' like '%/%' or position(chr(92) in value ->> 'filename') > 0
          or value ->> 'filename' !~ '[^ .]', true)
        then 'must be a name without a path' end)),
    (2, 'content_type', case when jsonb_typeof(value -> 'content_type') is distinct from 'string'
        or length(value ->> 'content_type') > 100
        or value ->> 'content_type' !~ '^(?!multipart/|message/(?!rfc822$))[a-z0-9][a-z0-9.+-]*/[a-z0-9][a-z0-9.+-]*$'
      then 'must be a media type such as application/pdf' end),
    (3, 'content', case when jsonb_typeof(value -> 'content') is distinct from 'string' or value ->> 'content' = ''
        or length(value ->> 'content') % 4 <> 0 or value ->> 'content' !~ '^[A-Za-z0-9+/]+={0,2}$'
      then 'must be Base64' end)
  ) as checks (n, name, problem)
  where problem is not null order by n limit 1;
  if message is null then
    code := 'invalid_request';
    select '.' || min(name), 'is not a field of an attachment' into field, message from jsonb_object_keys(value) name
    where name <> all (array['filename', 'content_type', 'content']) having count(*) > 0;
  end if;
end
$$;

create or replace function carillon.attachment_bytes(content text) returns integer language sql immutable as $$
  select length(content) / 4 * 3 - (length(content) - length(rtrim(content, '=')))
$$;
