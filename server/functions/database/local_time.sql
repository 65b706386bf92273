-- The instant at which clocks in the zone show this time. A time that a clock change skips is moved later by the length of
-- the change; of a time that comes twice, the first is meant. instantAt() in src/platform/time/local-time.ts is the same
-- rule in the same steps; one table of cases runs through both. A zone that nobody knows counts as UTC: one person's bad
-- zone must not stop everybody else's messages.
create or replace function carillon.local_time(wall text, zone text) returns timestamptz language plpgsql stable as $$
declare
  shown timestamptz := wall::timestamp at time zone 'UTC';
  by_before timestamptz := shown - carillon.zone_offset(zone, shown - interval '1 day');
  by_after timestamptz := shown - carillon.zone_offset(zone, shown + interval '1 day');
begin
  if by_before is null then return shown; end if;
  if by_before = by_after or least(by_before, by_after) + carillon.zone_offset(zone, least(by_before, by_after)) = shown then
    return least(by_before, by_after);
  end if;
  return greatest(by_before, by_after);
end
$$;
