-- Gives places back to their days, because the messages surely were not sent. Answers on how many days.
create or replace function carillon.return_places(places jsonb) returns integer language plpgsql strict
set enable_seqscan = off as $$
declare
  given record;
  returned integer := 0;
begin
  -- one by one in one order, as places are taken: a join might read all counts there are
  for given in
    select p.tenant_id, p.user_id, p.channel, p.day, count(*)::integer as places
    from jsonb_to_recordset(places) as p (tenant_id uuid, user_id text, channel text, day date)
    group by 1, 2, 3, 4 order by 1, 2, 3, 4
  loop
    update carillon.daily_sends s set used = greatest(0, s.used - given.places)
    where s.tenant_id = given.tenant_id and s.user_id = given.user_id and s.channel = given.channel and s.day = given.day;
    returned := returned + 1;
  end loop;
  return returned;
end
$$;
