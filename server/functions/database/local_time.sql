-- When it is that time on the wall of the zone. A time that a clock change skips comes as much later as the change is
-- wide; of one that comes twice, the first is meant. The same rule in the same steps is instantAt() of
-- src/platform/time/local-time.ts; a table of cases runs through both. A zone unknown to this database counts as UTC: one
-- person's bad zone must not keep the others from hearing.
create or replace function carillon.local_time(wall text, zone text) returns timestamptz language plpgsql stable as $$
declare
  shown timestamp := wall::timestamp;
  day_before timestamp := shown - interval '1 day';
  day_after timestamp := shown + interval '1 day';
  -- with offsets instead of names, PostgreSQL follows POSIX, where + is west
  named text := case when zone ~ '^[+-]' then translate(zone, '+-', '-+') else zone end;
  by_before timestamptz;
  by_after timestamptz;
begin
  by_before := (shown - (day_before at time zone 'UTC' at time zone named - day_before)) at time zone 'UTC';
  by_after := (shown - (day_after at time zone 'UTC' at time zone named - day_after)) at time zone 'UTC';
  if by_before = by_after then return by_before; end if;
  if least(by_before, by_after) at time zone named = shown then return least(by_before, by_after); end if;
  return greatest(by_before, by_after);
exception when invalid_parameter_value then
  return shown at time zone 'UTC';
end
$$;
