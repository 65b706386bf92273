-- Grants at most `wanted` sends to a subject that may send `per_minute`, so that there are never more in any sixty seconds,
-- however many workers ask. `free_at` is when the next one can be granted. `at` is for tests; the default is now.
create or replace function carillon.reserve_sends(
  subject uuid, per_minute integer, wanted integer, at timestamptz default clock_timestamp()
) returns table (granted integer, free_at timestamptz) language plpgsql as $$
declare
  used_before integer;
  this_second timestamptz := date_trunc('second', at);
begin
  -- one caller at a time: the count must not change between reading it and adding to it
  perform pg_advisory_xact_lock(hashtextextended(format('rate of %s', subject), 0));
  -- sends of the second sixty seconds ago may have gone out at its very end, so they still count
  select coalesce(sum(s.used), 0) into used_before from carillon.recent_sends s
  where s.subject_id = subject and s.second >= this_second - interval '60 seconds';
  granted := greatest(0, least(wanted, per_minute - used_before));
  if granted > 0 then
    insert into carillon.recent_sends as s (subject_id, second, used) values (subject, this_second, granted)
    on conflict (subject_id, second) do update set used = s.used + excluded.used;
  end if;
  delete from carillon.recent_sends s where s.subject_id = subject and s.second < this_second - interval '60 seconds';
  select min(s.second) + interval '61 seconds' into free_at from carillon.recent_sends s where s.subject_id = subject;
  return next;
end
$$;
