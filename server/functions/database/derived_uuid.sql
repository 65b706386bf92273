-- The same UUID for the same text (RFC 9562, version 8), for rows that must not be written twice.
create or replace function carillon.derived_uuid(content text) returns uuid language sql immutable strict parallel safe as $$
  select overlay(overlay(md5(content) placing '8' from 13) placing '8' from 17)::uuid
$$;
