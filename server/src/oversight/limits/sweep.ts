/** What retention deletes of the counters of limits. $1 is the most at once. */

export const SWEEP_RATE_LIMITS = `delete from rate_limits where ctid = any (array(
  select ctid from rate_limits where (window_start at time zone 'UTC') < (now() at time zone 'UTC') - interval '2 days'
  order by window_start at time zone 'UTC' limit $1 for update skip locked))`

export const SWEEP_LIMIT_COUNTERS = `delete from limit_counters where ctid = any (array(
  select ctid from limit_counters where expires_at < now() order by expires_at limit $1 for update skip locked))`
