-- A domain name in the ASCII form that all mail services understand (IDNA); null if it has none.
create or replace function carillon.ascii_domain(given text) returns text language plpgsql immutable as $$
declare
  -- the full stop of Chinese and Japanese
  folded text := translate(normalize(carillon.lower_text(normalize(given, nfkc)), nfkc), E'\u3002', '.');
begin
  if folded ~ '[^.]{64}' then
    return null;
  end if;
  return (
    select string_agg(case when label ~ '[^ -~]' then 'xn--' || carillon.punycode(label) else label end, '.' order by n)
    from unnest(string_to_array(folded, '.')) with ordinality as labels (label, n)
  );
end
$$;

-- RFC 3492, section 6.3, by its names.
create or replace function carillon.punycode(label text) returns text language plpgsql immutable as $$
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
        -- the next bias
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

-- In lower case, whatever the database's own collation is: that may know the case of ASCII letters only.
create or replace function carillon.lower_text(given text) returns text language plpgsql immutable as $$
begin
  return lower(given collate "und-x-icu");
exception when undefined_object then
  return lower(given);
end
$$;
