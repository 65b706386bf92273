-- A time as Carillon writes it in all its JSON: UTC, milliseconds, Z.
create or replace function carillon.iso(at timestamptz) returns text language sql immutable strict parallel safe as $$
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;
