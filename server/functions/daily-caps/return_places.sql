-- Gives places back to their days, because the messages surely were not sent. Answers on how many days.
create or replace function carillon.return_places(places jsonb) returns integer language plpgsql strict
set enable_seqscan = off as $$
declare
  returned integer;
begin
  update carillon.daily_sends s set used = greatest(0, s.used - g.places)
  from (
    select p.tenant_id, p.user_id, p.channel, p.day, count(*)::integer as places
    from jsonb_to_recordset(places) as p (tenant_id uuid, user_id text, channel text, day date)
    group by 1, 2, 3, 4
  ) g
  where s.tenant_id = g.tenant_id and s.user_id = g.user_id and s.channel = g.channel and s.day = g.day;
  get diagnostics returned = row_count;
  return returned;
end
$$;
