-- How far clocks in the zone are ahead of UTC at a moment, by the rules of Node where those of this PostgreSQL differ. null
-- for a zone that neither knows.
create or replace function carillon.zone_offset(zone text, at timestamptz) returns interval language plpgsql stable as $$
declare
  by_node interval := (
    select make_interval(secs => z.offsets[width_bucket(at, z.changes)]) from carillon.time_zones z
    where z.zone = zone_offset.zone);
begin
  if by_node is not null then return by_node; end if;
  -- for offsets, PostgreSQL follows POSIX, where + means west
  return at at time zone case when zone ~ '^[+-]' then translate(zone, '+-', '-+') else zone end - at at time zone 'UTC';
exception when invalid_parameter_value then
  return null;
end
$$;
