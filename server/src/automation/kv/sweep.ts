/** What retention deletes from KV: entries that have expired, and are in no answer any more. $1 is the maximum of rows. */
export const SWEEP_KV_ENTRIES = `delete from kv_entries where ctid = any (array(
  select ctid from kv_entries where expires_at <= now() order by expires_at limit $1 for update skip locked))`
