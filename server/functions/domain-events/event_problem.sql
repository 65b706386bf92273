-- What is wrong with the people of an event's relations: {"mention": ["ada"]}.
create or replace function carillon.relations_problem(value jsonb, out field text, out message text)
language plpgsql immutable as $$
declare
  relation text;
  people jsonb;
begin
  field := 'relations';
  if jsonb_typeof(value) <> 'object' then
    message := 'must be a JSON object';
    return;
  end if;
  if (select count(*) from jsonb_object_keys(value)) > 50 then
    message := 'must have at most 50 relations';
    return;
  end if;
  for relation, people in select * from jsonb_each(value) loop
    field := 'relations.' || relation;
    if relation !~ '^[a-z][a-z0-9_]{0,31}$' then
      message := 'must be named with at most 32 small letters, digits and _';
      return;
    end if;
    if jsonb_typeof(people) <> 'array' or jsonb_array_length(people) > 1000 then
      message := 'must be an array of at most 1000 user ids';
      return;
    end if;
    select field || '.' || e.ordinal - 1, carillon.name_problem(e.entry, 200) into field, message
    from jsonb_array_elements(people) with ordinality as e (entry, ordinal)
    where carillon.name_problem(e.entry, 200) is not null order by e.ordinal limit 1;
    if message is not null then
      return;
    end if;
  end loop;
end
$$;

create or replace function carillon.event_thread_problem(value jsonb, out code text, out field text, out message text)
language plpgsql immutable as $$
declare
  rule record;
begin
  code := 'invalid_request';
  field := 'thread';
  if jsonb_typeof(value) <> 'object' then
    message := 'must be a JSON object';
    return;
  end if;
  for rule in
    select * from (values ('kind', 32, true), ('id', 200, true), ('title', 500, false), ('url', 500, false),
      ('author_id', 200, false)) as rules (name, most, is_required)
  loop
    field := 'thread.' || rule.name;
    if value -> rule.name is null then
      if rule.is_required then
        code := 'missing_field';
        message := 'is required';
        return;
      end if;
      continue;
    end if;
    message := carillon.name_problem(value -> rule.name, rule.most);
    if message is null and rule.name = 'url' and carillon.page_address(value ->> 'url') is null then
      message := 'must be an address such as https://example.com/page, or a path such as /page';
    end if;
    if message is not null then
      return;
    end if;
  end loop;
  select 'thread.' || min(name), 'is not a field of a thread' into field, message
  from jsonb_object_keys(value) name where name <> all (array['kind', 'id', 'title', 'url', 'author_id'])
  having count(*) > 0;
end
$$;

-- What is wrong with an event's shape; code is null when nothing is. The same fields, limits and codes as the schema for
-- HTTP callers (contract/src/events.ts): events/domain-events/shape.test.ts runs one table of cases through both.
create or replace function carillon.event_problem(event jsonb, out code text, out field text, out message text)
language plpgsql stable as $$
declare
  rule record;
  value jsonb;
  known text[] := '{}';
begin
  if jsonb_typeof(event) is distinct from 'object' then
    select 'invalid_request', 'body', 'an event is a JSON object' into code, field, message;
    return;
  end if;
  for rule in
    select * from (values
      ('kind', 'name', 64, true), ('actor_id', 'name', 200, false), ('topic', 'name', 200, false),
      ('thread', 'thread', null, false), ('source_kind', 'name', 32, false), ('source_id', 'name', 200, false),
      ('is_public', 'boolean', null, false), ('relations', 'relations', null, false), ('payload', 'payload', null, false),
      ('producer', 'name', 100, false), ('idempotency_key', 'name', 255, false), ('occurred_at', 'time', null, false),
      ('request_id', 'name', 200, false),
      -- over HTTP the API key determines the tenant, and a header carries the trace
      ('tenant', 'name', 100, false), ('traceparent', 'text', null, false)
    ) as rules (field, kind, most, is_required)
  loop
    known := known || rule.field;
    value := event -> rule.field;
    field := rule.field;
    if value is null then
      if rule.is_required then
        code := 'missing_field';
        message := format('%s is required', field);
        return;
      end if;
      continue;
    end if;
    code := 'invalid_request';
    case rule.kind
      when 'name' then
        message := carillon.name_problem(value, rule.most);
      when 'time' then
        message := carillon.time_problem(value);
        code := 'invalid_timestamp';
      when 'text' then
        message := case when jsonb_typeof(value) <> 'string' then 'must be a string' end;
      when 'boolean' then
        message := case when jsonb_typeof(value) <> 'boolean' then 'must be true or false' end;
      when 'thread' then
        select t.code, t.field, t.message into code, field, message from carillon.event_thread_problem(value) t;
      when 'relations' then
        select r.field, r.message into field, message from carillon.relations_problem(value) r;
      when 'payload' then
        message := case when jsonb_typeof(value) <> 'object' then 'must be a JSON object' end;
        code := 'invalid_payload';
    end case;
    if message is not null then
      message := format('%s %s', field, message);
      return;
    end if;
  end loop;

  select min(name) into field from jsonb_object_keys(event) name where name <> all (known);
  if field is not null then
    code := 'invalid_request';
    message := format('"%s" is not a field of an event', field);
  elsif carillon.has_oversized_number(event -> 'payload') then
    select 'invalid_payload', 'payload',
      'payload must not contain numbers of 10^1000 or more, or with more than 999 decimal places' into code, field, message;
  else
    code := null;
  end if;
end
$$;
