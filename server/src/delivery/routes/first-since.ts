/** Where a search for routes made after a time may begin. */
import type { Executor } from '../../platform/database/pool.ts'

/** Ids are made by the clocks of processes before their intents wait to be accepted; routes are dated by the database. */
const CLOCKS_APART_MS = 3_600_000

/**
 * No record before this one has routes made after the time. Routes come with their record, whose id tells about when,
 * but for large audiences and for digests whose first item went out at once: those get them later. Digests that are open
 * for no longer than clocks may be apart need no look, and none is for more than a month. A question of its own, because
 * only a known value lets the planner see how few rows are behind it.
 */
export async function selectFirstSince(db: Executor, tenantId: string, time: string): Promise<string> {
  const ms = Math.max(0, Date.parse(time) - CLOCKS_APART_MS)
  const { rows } = await db.query<{ id: string }>(
    `select least($3::uuid, (
       select (array_agg(r.notification_id order by r.notification_id))[1] from records r
       where r.tenant_id = $1 and r.expanded_at > r.accepted_at and r.expanded_at > $2
     ), (
       select e.notification_id from expansions e where e.tenant_id = $1 order by e.notification_id limit 1
     ), (
       select (array_agg(d.id order by d.id))[1] from digests d
       where d.tenant_id = $1 and d.first_notification_id is not null
         and d.closes_at - d.created_at > interval '1 hour' and d.created_at <= $2
         and d.closes_at > $2 and d.closes_at < $2::timestamptz + interval '31 days'
     )) as id`,
    [tenantId, time, `${ms.toString(16).padStart(12, '0')}00000000000000000000`],
  )
  return rows[0]!.id
}
