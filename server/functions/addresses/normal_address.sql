-- The form in which an address is stored, compared and sent to; null if it is none. Every address passes through here
-- once, where it comes in (intents, users, types, suppressions, reports of services), so one that is suppressed cannot be
-- reached by writing it in another way. In SQL, because carillon.notify() has to follow the same rule.
-- No plain string has a backslash: see field_problems.sql.
create or replace function carillon.normal_address(channel text, given text) returns text language sql immutable as $$
  select case channel
    when 'email' then carillon.normal_mail_address(given)
    when 'sms' then carillon.normal_phone_number(given)
    when 'chat' then case when btrim(given) like 'whatsapp:%' then carillon.normal_phone_number(given) else nullif(btrim(given), '') end
    else nullif(btrim(given), '')
  end
$$;

-- What an address of the channel looks like, for the message about one that is none.
create or replace function carillon.expected_address(channel text) returns text language sql immutable as $$
  select case channel
    when 'email' then 'Expected an email address such as ada@example.com.'
    when 'sms' then 'Expected an E.164 number such as +4915112345678.'
    when 'chat' then 'Expected an address that is not blank, such as whatsapp:+4915112345678.'
    else 'Expected an address that is not blank.'
  end
$$;

-- RFC 5322's addr-spec, with or without angle brackets; not its quoted forms and comments, which are other ways of writing
-- the same address. The local part keeps its case, which is the receiver's matter, unless it has letters beyond ASCII; the
-- domain becomes ASCII.
create or replace function carillon.normal_mail_address(given text) returns text language plpgsql immutable as $$
declare
  bare text := btrim(given);
  local_part text;
  domain text;
begin
  if bare like '<%>' then
    bare := btrim(substr(bare, 2, length(bare) - 2));
  end if;
  local_part := substring(bare from '^([^@]*)@');
  domain := lower(substring(bare from '^[^@]*@([^@]*)$'));
  if bare ~ '[^ -~]' then
    -- Characters that nobody sees make a second address of the same name.
    if bare ~ (E'[\\u0080-\\u00a0\\u00ad\\u034f\\u061c\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180b-\\u180f\\u2000-\\u200f'
        || E'\\u2028-\\u202f\\u205f-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\uffff\\U000e0000-\\U000e0fff]') then
      return null;
    end if;
    -- Suppressions are compared in lower case, and the database's own collation may know that of ASCII letters only.
    if local_part ~ '[^ -~]' then
      local_part := normalize(carillon.lower_text(normalize(local_part, nfc)), nfc);
    end if;
    domain := carillon.ascii_domain(domain);
  end if;
  if octet_length(local_part) <= 64 and octet_length(local_part) + length(domain) < 254
      and local_part ~ E'^[A-Za-z0-9!#$%&''*+/=?^_`{|}~\\u0080-\\U0010ffff-]+([.][A-Za-z0-9!#$%&''*+/=?^_`{|}~\\u0080-\\U0010ffff-]+)*$'
      and domain ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?([.][a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$' then
    return local_part || '@' || domain;
  end if;
  return null;
end
$$;

-- E.164, after a `whatsapp:` where the number is reached there. People separate the digits in many ways; a `(0)` that is
-- not dialled from abroad cannot be told from one that is.
create or replace function carillon.normal_phone_number(given text) returns text language sql immutable as $$
  select case when normalize(given, nfkc) !~ '[(] *0 *[)]' then substring(
    regexp_replace(normalize(given, nfkc), E'[ ()./\\u2010-\\u2015\\u2212-]', '', 'g')
    from '^(?:whatsapp:)?[+][1-9][0-9]{6,14}$'
  ) end
$$;
