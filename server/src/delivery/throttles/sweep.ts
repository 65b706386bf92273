/** What retention deletes from throttles. $1 is the maximum number of rows. */

export const SWEEP_THROTTLES = `delete from throttles where ctid = any (array(
  select x.ctid from throttles x where x.expires_at < now() order by x.expires_at limit $1 for update skip locked))`
