-- Up Migration

-- Addresses that were stored before there was one form for all: suppressions, users, and messages that still wait. The
-- rules are those of normal_address() as it is now, written out here because migrations run before the functions.
create function pg_temp.punycode(label text) returns text language plpgsql as $$
declare
  digits constant text := 'abcdefghijklmnopqrstuvwxyz0123456789';
  points constant integer[] := array(
    select ascii(c) from unnest(string_to_array(label, null)) with ordinality as letters (c, position) order by position
  );
  basic constant text := regexp_replace(label, '[^ -~]', '', 'g');
  encoded text := case when basic = '' then '' else basic || '-' end;
  handled integer := length(basic);
  n integer := 128;
  next_n integer;
  delta integer := 0;
  bias integer := 72;
  point integer;
  q integer;
  k integer;
  t integer;
begin
  while handled < cardinality(points) loop
    next_n := (select min(p) from unnest(points) p where p >= n);
    delta := delta + (next_n - n) * (handled + 1);
    n := next_n;
    foreach point in array points loop
      if point < n then
        delta := delta + 1;
      elsif point = n then
        q := delta;
        k := 36;
        loop
          t := least(greatest(k - bias, 1), 26);
          exit when q < t;
          encoded := encoded || substr(digits, 1 + t + (q - t) % (36 - t), 1);
          q := (q - t) / (36 - t);
          k := k + 36;
        end loop;
        encoded := encoded || substr(digits, 1 + q, 1);
        delta := case when handled = length(basic) then delta / 700 else delta / 2 end;
        delta := delta + delta / (handled + 1);
        k := 0;
        while delta > 455 loop
          delta := delta / 35;
          k := k + 36;
        end loop;
        bias := k + 36 * delta / (delta + 38);
        delta := 0;
        handled := handled + 1;
      end if;
    end loop;
    delta := delta + 1;
    n := n + 1;
  end loop;
  return encoded;
end
$$;

-- null if it is no address, or has none of the forms that are rewritten
create function pg_temp.rewritten(channel text, given text) returns text language plpgsql as $$
declare
  bare text := btrim(given);
  folded text;
begin
  if channel = 'sms' then
    return case when given not like '%(0)%' then substring(
      regexp_replace(normalize(given, nfkc), E'[ ()./\\u2010-\\u2015\\u2212-]', '', 'g')
      from '^(?:whatsapp:)?[+][1-9][0-9]{6,14}$'
    ) end;
  end if;
  if channel <> 'email' then
    return null;
  end if;
  if bare like '<%>' then
    bare := btrim(substr(bare, 2, length(bare) - 2));
  end if;
  if bare !~ '^[^@ <>]+@[^@ <>]+$' then
    return null;
  end if;
  folded := normalize(split_part(bare, '@', 2), nfkc);
  begin
    folded := lower(folded collate "und-x-icu");
  exception when undefined_object then
    folded := lower(folded);
  end;
  folded := translate(normalize(folded, nfkc), E'\u3002', '.');
  if folded ~ '[^.]{64}' then
    return null;
  end if;
  folded := (
    select string_agg(case when label ~ '[^ -~]' then 'xn--' || pg_temp.punycode(label) else label end, '.' order by n)
    from unnest(string_to_array(folded, '.')) with ordinality as labels (label, n)
  );
  if folded !~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?([.][a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$' then
    return null;
  end if;
  bare := normalize(split_part(bare, '@', 1), nfc);
  if bare ~ '[^ -~]' then
    begin
      bare := lower(bare collate "und-x-icu");
    exception when undefined_object then
      bare := lower(bare);
    end;
  end if;
  return bare || '@' || folded;
end
$$;

-- One that exists in both forms keeps the reason of the earlier one.
with old as (
  delete from suppressions s
  where s.channel in ('email', 'sms') and lower(pg_temp.rewritten(s.channel, s.address)) <> s.address
  returning s.*
)
insert into suppressions as s (tenant_id, channel, address, reason, detail, created_at)
select distinct on (o.tenant_id, o.channel, lower(pg_temp.rewritten(o.channel, o.address)))
  o.tenant_id, o.channel, lower(pg_temp.rewritten(o.channel, o.address)), o.reason, o.detail, o.created_at
from old o order by o.tenant_id, o.channel, lower(pg_temp.rewritten(o.channel, o.address)), o.created_at
on conflict (tenant_id, channel, address) do update
  set reason = excluded.reason, detail = excluded.detail, created_at = excluded.created_at
  where excluded.created_at < s.created_at;

do $$
declare
  person record;
begin
  update users u set phone = pg_temp.rewritten('sms', u.phone)
  where u.phone !~ '^[+][0-9]+$' and pg_temp.rewritten('sms', u.phone) is not null;
  for person in
    select u.tenant_id, u.id, pg_temp.rewritten('email', u.email) as email from users u
    where u.email !~ '^[!-;=?A-~]+@[a-z0-9.-]+$' and pg_temp.rewritten('email', u.email) <> u.email
  loop
    begin
      update users u set email = person.email where u.tenant_id = person.tenant_id and u.id = person.id;
    exception when unique_violation then
      -- Somebody else has it in the new form: whose it is only the application can tell.
      null;
    end;
  end loop;
end
$$;

update routes r set resolved_address = pg_temp.rewritten(r.channel, r.resolved_address)
where r.next_attempt_at is not null
  and (r.channel = 'email' and r.resolved_address !~ '^[!-;=?A-~]+@[a-z0-9.-]+$'
    or r.channel = 'sms' and r.resolved_address !~ '^(whatsapp:)?[+][0-9]+$')
  and pg_temp.rewritten(r.channel, r.resolved_address) <> r.resolved_address;

drop function pg_temp.rewritten(text, text);
drop function pg_temp.punycode(text);

-- Down Migration

-- Earlier versions understand the new form as well: nothing is taken back.
select;
