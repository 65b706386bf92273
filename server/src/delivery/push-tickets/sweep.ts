/** What retention deletes of push tickets. $1 is the maximum number of rows. */

/** Expo keeps receipts for a day. */
export const SWEEP_PUSH_TICKETS = `delete from push_tickets where ctid = any (array(
  select x.ctid from push_tickets x where x.created_at < now() - interval '25 hours'
  order by x.created_at limit $1 for update skip locked))`
