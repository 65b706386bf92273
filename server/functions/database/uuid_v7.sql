-- A time-ordered UUID on every supported PostgreSQL (uuidv7() itself exists only from 18 on), to the microsecond: several
-- that one transaction makes are in the order in which it made them (RFC 9562, section 6.2, method 3).
create or replace function carillon.uuid_v7() returns uuid language sql volatile parallel safe as $$
  select encode(
    overlay(
      overlay(uuid_send(gen_random_uuid()) placing substring(int8send(t.micros / 1000) from 3) from 1 for 6)
      placing substring(int8send(28672 + t.micros % 1000 * 4096 / 1000) from 7) from 7 for 2
    ), 'hex'
  )::uuid
  from (select (extract(epoch from clock_timestamp()) * 1000000)::bigint as micros offset 0) t
$$;
