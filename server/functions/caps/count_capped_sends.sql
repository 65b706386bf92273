-- Counts sends that several caps apply to: each in all of its periods, or in none if one of them is used up. `refused` has
-- the numbers of those, null if the send was counted. The day as a whole is counted in daily_sends, as for routes that no
-- other cap applies to. Counted routes are marked with their periods in the same commit: if their worker dies, whoever
-- takes them over need not count them again.
create or replace function carillon.count_capped_sends(owner text, asked jsonb)
returns table (ord integer, refused jsonb) language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  ask record;
begin
  -- like count_sends: the count matters only once the message is sent, and that commit comes later in the same log
  perform set_config('synchronous_commit', 'off', true);
  -- The counters are made where they are missing, then locked, by everybody in the same order: no deadlocks.
  insert into carillon.daily_sends (tenant_id, user_id, channel, day, used, cap, granted)
  select distinct k.tenant_id, k.user_id, k.channel, k.period::date, 0, 0, 0
  from carillon.asked_periods(asked) k where k.is_whole_day order by 1, 2, 3, 4
  on conflict do nothing;
  insert into carillon.capped_sends (tenant_id, user_id, channel, category, per, period, used)
  select distinct k.tenant_id, k.user_id, k.channel, k.category, k.per, k.period, 0
  from carillon.asked_periods(asked) k where not k.is_whole_day order by 1, 2, 3, 4, 5, 6
  on conflict do nothing;
  perform from carillon.asked_periods(asked) k
  join carillon.daily_sends s on s.tenant_id = k.tenant_id and s.user_id = k.user_id and s.channel = k.channel
    and s.day = k.period::date
  where k.is_whole_day order by s.tenant_id, s.user_id, s.channel, s.day for update of s;
  perform from carillon.asked_periods(asked) k
  join carillon.capped_sends s on s.tenant_id = k.tenant_id and s.user_id = k.user_id and s.channel = k.channel
    and s.category = k.category and s.per = k.per and s.period = k.period
  where not k.is_whole_day order by s.tenant_id, s.user_id, s.channel, s.category, s.per, s.period for update of s;

  for ask in
    select a.ord, a.tenant_id, a.notification_id, a.route_id, a.claim_count, a.user_id, a.channel, a.periods
    from jsonb_to_recordset(asked) as a (ord integer, tenant_id uuid, notification_id uuid, route_id text,
      claim_count integer, user_id text, channel text, periods jsonb)
    order by a.ord
  loop
    select jsonb_agg(k.n order by k.n) into refused
    from carillon.asked_periods(jsonb_build_array(to_jsonb(ask))) k
    where k.max <= case when k.is_whole_day
      then (select s.used from carillon.daily_sends s where s.tenant_id = k.tenant_id and s.user_id = k.user_id
        and s.channel = k.channel and s.day = k.period::date)
      else (select s.used from carillon.capped_sends s where s.tenant_id = k.tenant_id and s.user_id = k.user_id
        and s.channel = k.channel and s.category = k.category and s.per = k.per and s.period = k.period) end;
    if refused is null then
      update carillon.daily_sends s set used = s.used + 1
      from carillon.asked_periods(jsonb_build_array(to_jsonb(ask))) k
      where k.is_whole_day and s.tenant_id = k.tenant_id and s.user_id = k.user_id and s.channel = k.channel
        and s.day = k.period::date;
      update carillon.capped_sends s set used = s.used + 1
      from carillon.asked_periods(jsonb_build_array(to_jsonb(ask))) k
      where not k.is_whole_day and s.tenant_id = k.tenant_id and s.user_id = k.user_id and s.channel = k.channel
        and s.category = k.category and s.per = k.per and s.period = k.period;
      perform carillon.mark_counted_in(owner, ask.tenant_id, ask.notification_id, ask.route_id, ask.claim_count,
        ask.periods);
    end if;
    ord := ask.ord;
    return next;
  end loop;
end
$$;

create or replace function carillon.asked_periods(asked jsonb) returns table (
  tenant_id uuid, user_id text, channel text, n integer, per text, category text, period text, max integer,
  is_whole_day boolean
) language sql immutable as $$
  select a.tenant_id, a.user_id, a.channel, p.n::integer - 1, p.value ->> 'per', p.value ->> 'category',
    p.value ->> 'period', (p.value ->> 'max')::integer, p.value ->> 'per' = 'day' and p.value ->> 'category' = ''
  from jsonb_to_recordset(asked) as a (tenant_id uuid, user_id text, channel text, periods jsonb)
  cross join lateral jsonb_array_elements(a.periods) with ordinality as p (value, n)
$$;
