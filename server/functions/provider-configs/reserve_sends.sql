-- Grants at most `wanted` sends of a rate-limited provider, so that no sixty seconds ever see more than the limit,
-- however many workers ask. `free_at` is when the next one can be granted. `at` is for tests; everybody else uses now.
create or replace function carillon.reserve_sends(provider uuid, wanted integer, at timestamptz default clock_timestamp())
returns table (granted integer, free_at timestamptz) language plpgsql as $$
declare
  allowed integer;
  used_before integer;
  this_second timestamptz := date_trunc('second', at);
begin
  -- one at a time per provider: the count must not change between looking and taking
  select p.rate_limit into allowed from carillon.provider_configs p where p.id = provider for no key update;
  if allowed is null then
    return query select wanted, null::timestamptz;
    return;
  end if;
  -- the second sixty seconds ago may have been used at its very end, so it still counts
  select coalesce(sum(s.used), 0) into used_before from carillon.provider_sends s
  where s.provider_id = provider and s.second >= this_second - interval '60 seconds';
  granted := greatest(0, least(wanted, allowed - used_before));
  if granted > 0 then
    insert into carillon.provider_sends as s (provider_id, second, used) values (provider, this_second, granted)
    on conflict (provider_id, second) do update set used = s.used + excluded.used;
  end if;
  delete from carillon.provider_sends s where s.provider_id = provider and s.second < this_second - interval '61 seconds';
  select min(s.second) + interval '61 seconds' into free_at from carillon.provider_sends s where s.provider_id = provider;
  return next;
end
$$;
