/** The retention sweep: deletes what is past its tenant's time, in batches short enough to disturb nobody. */
import type { Pool } from '../../platform/database/pool.ts'
import { createLoop, type Service } from '../../platform/queue/service.ts'
import type { Wake } from '../../platform/queue/wake.ts'

export interface Swept {
  records: number
  malformed_intents: number
  dead_letters: number
  captured_messages: number
  webhook_deliveries: number
  audit_logs: number
  rate_limits: number
  limit_counters: number
  daily_sends: number
  digests: number
  throttles: number
  recent_sends: number
}

const BATCH = 1000

/**
 * A record goes only when all of it is finished, and not out of an open digest; its routes, attempts and dead letters go with it. The array makes the
 * planner fetch the rows by their place; joined to the subquery, it may read the whole table instead.
 */
const SWEEPS: Record<keyof Swept, string> = {
  records: `delete from records where ctid = any (array(
    select r.ctid from tenants t
    cross join lateral (
      select x.ctid from records x
      where x.tenant_id = t.id and x.accepted_at < now() - make_interval(days => t.record_retention_days)
        and x.expanded_at is not null
        and not exists (select from routes o where o.tenant_id = x.tenant_id and o.notification_id = x.notification_id
          and (o.next_attempt_at is not null or (o.reason = 'digested' and exists (
            select from digests g where g.tenant_id = o.tenant_id and g.id = o.digest_id and g.closed_at is null))))
      order by x.accepted_at limit $1 for update skip locked
    ) r limit $1))`,
  malformed_intents: `delete from malformed_intents where ctid = any (array(
    select m.ctid from tenants t
    cross join lateral (
      select x.ctid from malformed_intents x
      where x.tenant_id = t.id and x.recorded_at < now() - make_interval(days => t.malformed_retention_days)
      order by x.recorded_at limit $1 for update skip locked
    ) m limit $1))`,
  // An open letter is somebody's unfinished work: it leaves only with its record.
  dead_letters: `delete from dead_letters where ctid = any (array(
    select d.ctid from tenants t
    cross join lateral (
      select x.ctid from dead_letters x
      where x.tenant_id = t.id and x.resolved_at is not null
        and x.created_at < now() - make_interval(days => t.dead_letter_retention_days)
      order by x.created_at limit $1 for update skip locked
    ) d limit $1))`,
  // Bodies must not outlive the record they belong to.
  captured_messages: `delete from captured_messages where ctid = any (array(
    select c.ctid from tenants t
    cross join lateral (
      select x.ctid from captured_messages x
      where x.tenant_id = t.id and x.captured_at < now() - make_interval(days => t.record_retention_days)
      order by x.captured_at limit $1 for update skip locked
    ) c limit $1))`,
  // Those of a notification go with its record; these have none.
  webhook_deliveries: `delete from webhook_deliveries where ctid = any (array(
    select d.ctid from tenants t
    cross join lateral (
      select x.ctid from webhook_deliveries x
      where x.tenant_id = t.id and x.notification_id is null
        and x.created_at < now() - make_interval(days => t.record_retention_days)
      order by x.created_at limit $1 for update skip locked
    ) d limit $1))`,
  // Only of tenants that set a time; the table itself refuses anything younger.
  audit_logs: `delete from audit_logs where ctid = any (array(
    select a.ctid from tenants t
    cross join lateral (
      select x.ctid from audit_logs x
      where x.tenant_id = t.id and x.created_at < now() - make_interval(days => t.audit_retention_days)
      order by x.created_at limit $1 for update skip locked
    ) a limit $1))`,
  rate_limits: `delete from rate_limits where ctid = any (array(
    select ctid from rate_limits where (window_start at time zone 'UTC') < (now() at time zone 'UTC') - interval '2 days'
    order by window_start at time zone 'UTC' limit $1 for update skip locked))`,
  limit_counters: `delete from limit_counters where ctid = any (array(
    select ctid from limit_counters where expires_at < now() order by expires_at limit $1 for update skip locked))`,
  // Local days reach from twelve hours behind to fourteen ahead of ours; after three days one is over everywhere.
  daily_sends: `delete from daily_sends where ctid = any (array(
    select ctid from daily_sends where day < current_date - 3 order by day limit $1 for update skip locked))`,
  // One that never got an item stays open until the next notification comes, if ever.
  digests: `delete from digests where ctid = any (array(
    select d.ctid from tenants t
    cross join lateral (
      select x.ctid from digests x
      where x.tenant_id = t.id and x.created_at < now() - make_interval(days => t.record_retention_days)
        and (x.closed_at is not null or x.closes_at < now() - make_interval(days => t.record_retention_days))
      order by x.created_at limit $1 for update skip locked
    ) d limit $1))`,
  throttles: `delete from throttles where ctid = any (array(
    select x.ctid from throttles x where x.expires_at < now() order by x.expires_at limit $1 for update skip locked))`,
  // Who still sends clears its own; these are of providers and webhooks that were deleted or fell silent.
  recent_sends: `delete from recent_sends where ctid = any (array(
    select ctid from recent_sends where second < now() - interval '1 hour' limit $1 for update skip locked))`,
}

export async function sweepRetention(pool: Pool): Promise<Swept> {
  const swept = Object.fromEntries(Object.keys(SWEEPS).map(name => [name, 0])) as unknown as Swept
  for (const [name, sql] of Object.entries(SWEEPS) as [keyof Swept, string][]) {
    for (;;) {
      const { rowCount } = await pool.query(sql, [BATCH])
      swept[name] += rowCount ?? 0
      if ((rowCount ?? 0) < BATCH) break
    }
  }
  return swept
}

export function createRetentionSweeper(options: {
  pool: Pool
  wake: Wake
  intervalMs: number
  onSwept: (swept: Swept) => void
  onError: (error: unknown) => void
}): Service {
  return createLoop({
    name: 'retention',
    round: async () => {
      options.onSwept(await sweepRetention(options.pool))
      return options.intervalMs
    },
    wait: ms => options.wake.wait(ms),
    interrupt: () => options.wake.call(),
    onError: options.onError,
  })
}
