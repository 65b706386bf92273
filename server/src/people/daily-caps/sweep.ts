/** What retention deletes of the counts of sends. $1 is the most at once. */

/** Local days reach from twelve hours behind to fourteen ahead of ours; after three days one is over everywhere. */
export const SWEEP_DAILY_SENDS = `delete from daily_sends where ctid = any (array(
  select ctid from daily_sends where day < current_date - 3 order by day limit $1 for update skip locked))`
