-- Takes messages that were certainly not sent out of the day's count again. Returns the number of counts changed.
create or replace function carillon.return_counted_sends(sends jsonb) returns integer language plpgsql strict
set enable_seqscan = off as $$
declare
  counted record;
  changed integer := 0;
begin
  -- one by one, in the order in which sends are counted: a join might read every count there is
  for counted in
    select s.tenant_id, s.user_id, s.channel, s.day, count(*)::integer as sends
    from jsonb_to_recordset(sends) as s (tenant_id uuid, user_id text, channel text, day date)
    group by 1, 2, 3, 4 order by 1, 2, 3, 4
  loop
    update carillon.daily_sends s set used = greatest(0, s.used - counted.sends)
    where s.tenant_id = counted.tenant_id and s.user_id = counted.user_id and s.channel = counted.channel
      and s.day = counted.day;
    changed := changed + 1;
  end loop;
  return changed;
end
$$;
