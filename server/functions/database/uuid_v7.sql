-- A time-ordered UUID on every supported PostgreSQL (uuidv7() itself exists only from 18 on).
create or replace function carillon.uuid_v7() returns uuid language sql volatile parallel safe as $$
  select encode(
    set_byte(
      overlay(
        uuid_send(gen_random_uuid())
        placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
        from 1 for 6
      ),
      6, 112 + floor(random() * 16)::integer
    ), 'hex'
  )::uuid
$$;
