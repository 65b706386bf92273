/** What retention deletes of callbacks. $1 is the maximum number of rows. */

/** Their ids are needed only as long as a signature is fresh. */
export const SWEEP_IGNORED_CALLBACKS = `delete from provider_callbacks where ctid = any (array(
  select x.ctid from provider_callbacks x where x.kind = 'ignored' and x.received_at < now() - interval '1 day'
  order by x.received_at limit $1 for update skip locked))`
