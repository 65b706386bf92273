/** What retention deletes of reply inboxes and abandoned executions. $1 is the maximum number of rows. */

/**
 * Inboxes that nobody reads any more, because the process of their caller died. A reply that came in time all the same
 * was never read, so it is kept as abandoned.
 */
export const SWEEP_REPLY_INBOXES = `with expired as (
  delete from reply_inboxes where ctid = any (array(
    select x.ctid from reply_inboxes x where x.expires_at < now() order by x.expires_at limit $1 for update skip locked))
  returning tenant_id, id, outbox_id, script_id, status_code, reply_json
), abandoned as (
  insert into abandoned_executions (tenant_id, id, outbox_id, script_id, inbox_id, status_code, summary)
  select tenant_id, uuid_v7(), outbox_id, script_id, id, status_code, left(reply_json, 1000)
  from expired where status_code is not null
)
select from expired`

/** By age alone, as a tenant has few of them. Nobody keeps them for less than a day. */
export const SWEEP_ABANDONED_EXECUTIONS = `delete from abandoned_executions where ctid = any (array(
  select x.ctid from abandoned_executions x join tenant_retention t on t.tenant_id = x.tenant_id
  where x.created_at < now() - interval '1 day'
    and x.created_at < now() - make_interval(days => t.abandoned_retention_days)
  order by x.created_at limit $1 for update of x skip locked))`
