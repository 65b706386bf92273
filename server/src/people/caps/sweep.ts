/** Which counts retention deletes. $1 is the most rows at once. */

/** Local time is from twelve hours behind UTC to fourteen ahead of it, so a day is over everywhere after three days. */
export const SWEEP_DAILY_SENDS = `delete from daily_sends where ctid = any (array(
  select ctid from daily_sends where day < current_date - 3 order by day limit $1 for update skip locked))`

/** A week is over everywhere after nine days. */
export const SWEEP_CAPPED_SENDS = `delete from capped_sends where ctid = any (array(
  select ctid from capped_sends where created_at < now() - interval '9 days' order by created_at limit $1
  for update skip locked))`
