-- What is wrong with one field of an intent, as the end of a sentence that starts with its name; null when nothing is.
-- No plain string has a backslash: a body is read with the settings of the application that calls notify(), and with
-- standard_conforming_strings = off a backslash would escape what follows it.

create or replace function carillon.name_problem(value jsonb, most integer) returns text language sql immutable as $$
  select case
    when jsonb_typeof(value) <> 'string' then 'must be a string'
    when length(value #>> '{}') not between 1 and most or value #>> '{}' ~ E'[\\u0001-\\u001f\\u007f]'
      then format('must have 1 to %s characters and no control characters', most)
  end
$$;

create or replace function carillon.time_problem(value jsonb) returns text language plpgsql stable as $$
begin
  if jsonb_typeof(value) <> 'string' or length(value #>> '{}') > 40 or value #>> '{}' !~
      '^[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]+)?(Z|[+-](0[0-9]|1[0-5]):[0-5][0-9])$' then
    return 'must be an ISO 8601 time with a zone, such as 2026-01-31T09:30:00Z';
  end if;
  perform (value #>> '{}')::timestamptz;
  return null;
exception when data_exception then
  return format('is not a valid time: %s', sqlerrm);
end
$$;

create or replace function carillon.wall_time_problem(value jsonb) returns text language plpgsql stable as $$
begin
  if jsonb_typeof(value) <> 'string'
      or value #>> '{}' !~ '^[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$' then
    return 'must be a time without a zone, such as 2026-12-24T09:00';
  end if;
  perform (value #>> '{}')::timestamp;
  return null;
exception when data_exception then
  return format('is not a valid time: %s', sqlerrm);
end
$$;

create or replace function carillon.channels_problem(value jsonb, out field text, out message text)
language sql immutable as $$
  select case when bad.ordinal is null then 'channels' else 'channels.' || bad.ordinal - 1 end,
    case
      when jsonb_typeof(value) <> 'array' or value = '[]' then 'must be an array of at least one channel'
      when bad.ordinal is not null then 'must be in_app, email, sms, push, chat or webhook'
    end
  from (
    select min(ordinal) as ordinal
    from jsonb_array_elements(case jsonb_typeof(value) when 'array' then value else '[]' end)
      with ordinality as entries (entry, ordinal)
    where entry <> all (array['"in_app"', '"email"', '"sms"', '"push"', '"chat"', '"webhook"']::jsonb[])
  ) bad
$$;

create or replace function carillon.audience_problem(value jsonb, out code text, out field text, out message text)
language plpgsql immutable as $$
declare
  kind constant text := case when jsonb_typeof(value -> 'kind') = 'string' then value ->> 'kind' end;
  list constant text := case kind when 'users' then 'user_ids' when 'addresses' then 'addresses' end;
  longest constant integer := case kind when 'users' then 200 else 500 end;
  entries jsonb;
begin
  code := 'invalid_audience';
  field := 'audience';
  if jsonb_typeof(value) <> 'object' then
    message := 'must be a JSON object';
    return;
  end if;
  if kind is null or kind <> all (array['users', 'topic', 'tenant', 'addresses', 'admin_email']) then
    code := case when value ? 'kind' then code else 'missing_field' end;
    field := 'audience.kind';
    message := 'must be users, topic, tenant, addresses or admin_email';
    return;
  end if;
  if kind = 'topic' then
    field := 'audience.topic';
    code := case when value ? 'topic' then code else 'missing_field' end;
    message := coalesce(carillon.name_problem(value -> 'topic', 200), case when not value ? 'topic' then 'is required' end);
  elsif kind = 'addresses'
      and coalesce(value -> 'channel' <> all (array['"email"', '"sms"', '"push"', '"chat"', '"webhook"']::jsonb[]), true) then
    field := 'audience.channel';
    code := case when value ? 'channel' then code else 'missing_field' end;
    message := 'must be email, sms, push, chat or webhook';
  end if;
  if message is not null then
    return;
  end if;
  if list is not null then
    entries := value -> list;
    code := 'invalid_recipients';
    field := 'audience.' || list;
    if jsonb_typeof(entries) is distinct from 'array' or jsonb_array_length(entries) not between 1 and 10000 then
      message := 'must be an array of 1 to 10000 strings';
      return;
    end if;
    select 'audience.' || list || '.' || e.ordinal - 1, carillon.name_problem(e.entry, longest) into field, message
    from jsonb_array_elements(entries) with ordinality as e (entry, ordinal)
    where carillon.name_problem(e.entry, longest) is not null order by e.ordinal limit 1;
    if message is not null then
      return;
    end if;
  end if;
  code := 'invalid_audience';
  select 'audience.' || min(name), format('is not a field of the kind %s', kind) into field, message
  from jsonb_object_keys(value) name
  where name <> 'kind' and name is distinct from list and not (kind = 'addresses' and name = 'channel')
    and not (kind = 'topic' and name = 'topic')
  having count(*) > 0;
end
$$;

create or replace function carillon.thread_problem(value jsonb, out code text, out field text, out message text)
language plpgsql immutable as $$
begin
  code := 'invalid_request';
  field := 'thread';
  if jsonb_typeof(value) <> 'object' then
    message := 'must be a JSON object';
    return;
  end if;
  select 'thread.' || f.name, case when value ? f.name then 'invalid_request' else 'missing_field' end,
    coalesce(carillon.name_problem(value -> f.name, f.most), 'is required')
  into field, code, message
  from (values (1, 'kind', 32), (2, 'id', 200)) as f (n, name, most)
  where not value ? f.name or carillon.name_problem(value -> f.name, f.most) is not null order by f.n limit 1;
  if message is null then
    code := 'invalid_request';
    select 'thread.' || min(name), 'is not a field of a thread' into field, message
    from jsonb_object_keys(value) name where name not in ('kind', 'id') having count(*) > 0;
  end if;
end
$$;

-- A number of seven bytes in JSON, such as 1e99999, has a hundred thousand digits once it is written out as text.
create or replace function carillon.has_oversized_number(payload jsonb) returns boolean language sql immutable as $$
  select exists (
    select from jsonb_path_query(payload, 'strict $.** ? (@.type() == "number")') number
    where abs(number::numeric) >= 1e1000 or scale(number::numeric) > 999
  )
$$;
