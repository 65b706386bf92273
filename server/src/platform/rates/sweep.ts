/** What retention deletes of recent sends. $1 is the most at once. */

/** Who still sends clears its own; these are of providers and webhooks that were deleted or fell silent. */
export const SWEEP_RECENT_SENDS = `delete from recent_sends where ctid = any (array(
  select ctid from recent_sends where second < now() - interval '1 hour' limit $1 for update skip locked))`
