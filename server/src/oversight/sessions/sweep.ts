/** What retention deletes of sessions. $1 is the most at once. */

export const SWEEP_SESSIONS = `delete from sessions where ctid = any (array(
  select ctid from sessions where expires_at < now() order by expires_at limit $1 for update skip locked))`
