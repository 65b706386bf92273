-- When it is that time on the wall of the zone. A time that a clock change skips comes as much later as the change is
-- wide; of one that comes twice, the second is meant. A zone unknown to this database counts as UTC: one person's bad
-- zone must not keep the others from hearing.
create or replace function carillon.local_time(wall text, zone text) returns timestamptz language plpgsql stable as $$
begin
  -- with offsets instead of names, PostgreSQL follows POSIX, where + is west
  return wall::timestamp at time zone case when zone ~ '^[+-]' then translate(zone, '+-', '-+') else zone end;
exception when invalid_parameter_value then
  return wall::timestamp at time zone 'UTC';
end
$$;
