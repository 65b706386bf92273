/** What retention deletes of invitations. $1 is the most at once. */

export const SWEEP_INVITATIONS = `delete from invitations where ctid = any (array(
  select ctid from invitations where expires_at < now() order by expires_at limit $1 for update skip locked))`
