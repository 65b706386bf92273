/** What retention deletes of devices. $1 is the maximum number of rows. */

/** Registering one again within this time brings it back. */
export const SWEEP_DEVICES = `delete from user_devices where ctid = any (array(
  select x.ctid from user_devices x where x.is_gone and x.rejected_since < now() - interval '30 days'
  order by x.rejected_since limit $1 for update skip locked))`
