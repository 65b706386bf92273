-- The instant at which clocks in the zone show this time. A time that a clock change skips is moved later by the length of
-- the change; of a time that comes twice, the first is meant. instantAt() in src/platform/time/local-time.ts is the same
-- rule in the same steps; one table of cases runs through both. A zone this database does not know counts as UTC: one
-- person's bad zone must not stop everybody else's messages.
create or replace function carillon.local_time(wall text, zone text) returns timestamptz language plpgsql stable as $$
declare
  shown timestamp := wall::timestamp;
  day_before timestamp := shown - interval '1 day';
  day_after timestamp := shown + interval '1 day';
  -- for offsets, PostgreSQL follows POSIX, where + means west
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
