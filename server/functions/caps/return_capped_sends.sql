-- Takes messages that were certainly not sent out of the counts of their periods again. Returns the number of counts
-- changed.
create or replace function carillon.return_capped_sends(sends jsonb) returns integer language plpgsql strict
set enable_seqscan = off as $$
declare
  counted record;
  changed integer := 0;
begin
  -- one by one, in the order in which sends are counted
  for counted in
    select s.tenant_id, s.user_id, s.channel, p.category, p.per, p.period, count(*)::integer as sends
    from jsonb_to_recordset(sends) as s (tenant_id uuid, user_id text, channel text, periods jsonb)
    cross join lateral jsonb_to_recordset(s.periods) as p (category text, per text, period text)
    group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
  loop
    update carillon.capped_sends s set used = greatest(0, s.used - counted.sends)
    where s.tenant_id = counted.tenant_id and s.user_id = counted.user_id and s.channel = counted.channel
      and s.category = counted.category and s.per = counted.per and s.period = counted.period;
    changed := changed + 1;
  end loop;
  return changed;
end
$$;
