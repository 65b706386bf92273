-- Grants at most `wanted` sends of something that may send `per_minute`, so that no sixty seconds ever see more, however
-- many workers ask. `free_at` is when the next one can be granted. `at` is for tests; everybody else uses now.
create or replace function carillon.reserve_sends(
  subject uuid, per_minute integer, wanted integer, at timestamptz default clock_timestamp()
) returns table (granted integer, free_at timestamptz) language plpgsql as $$
declare
  used_before integer;
  this_second timestamptz := date_trunc('second', at);
begin
  -- one at a time: the count must not change between looking and taking
  perform pg_advisory_xact_lock(hashtextextended(format('rate of %s', subject), 0));
  -- the second sixty seconds ago may have been used at its very end, so it still counts
  select coalesce(sum(s.used), 0) into used_before from carillon.recent_sends s
  where s.subject_id = subject and s.second >= this_second - interval '60 seconds';
  granted := greatest(0, least(wanted, per_minute - used_before));
  if granted > 0 then
    insert into carillon.recent_sends as s (subject_id, second, used) values (subject, this_second, granted)
    on conflict (subject_id, second) do update set used = s.used + excluded.used;
  end if;
  delete from carillon.recent_sends s where s.subject_id = subject and s.second < this_second - interval '61 seconds';
  select min(s.second) + interval '61 seconds' into free_at from carillon.recent_sends s where s.subject_id = subject;
  return next;
end
$$;
