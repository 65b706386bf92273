/** Where a search for routes created between two times may begin and end. */
import type { Executor } from '../../platform/database/pool.ts'

/** Ids carry the time of a process's clock, before the intent waits to be accepted; routes carry the database's time. */
const MAX_CLOCK_DIFFERENCE_MS = 3_600_000

/**
 * The first record that can have routes created after the time. Routes are created with their record, whose id tells
 * roughly when. The exceptions, which get routes later, are large audiences and digests whose first item went out at once.
 * Digests that are open for no longer than the clock difference need no lookup, and none is open for more than a month.
 * It is a separate query because the planner can estimate how few rows follow only if the value is known.
 */
export async function selectFirstRecordSince(db: Executor, tenantId: string, time: string): Promise<string> {
  const { rows } = await db.query<{ id: string }>(
    `select least($3::uuid, (
       select (array_agg(r.notification_id order by r.notification_id))[1] from records r
       where r.tenant_id = $1 and r.expanded_at > r.accepted_at and r.expanded_at > $2
     ), (
       select (array_agg(r.notification_id order by r.notification_id))[1] from records_archive r
       where r.tenant_id = $1 and r.expanded_at > r.accepted_at and r.expanded_at > $2
     ), (
       select e.notification_id from expansions e where e.tenant_id = $1 order by e.notification_id limit 1
     ), (
       select (array_agg(d.id order by d.id))[1] from digests d
       where d.tenant_id = $1 and d.first_notification_id is not null
         and d.closes_at - d.created_at > interval '1 hour' and d.created_at <= $2
         and d.closes_at > $2 and d.closes_at < $2::timestamptz + interval '31 days'
     )) as id`,
    [tenantId, time, idAt(Date.parse(time) - MAX_CLOCK_DIFFERENCE_MS)],
  )
  return rows[0]!.id
}

/** Routes are never older than their record, so none that was created before the time belongs to this one or a later one. */
export function endOfRecordsBefore(time: string): string {
  return idAt(Date.parse(time) + MAX_CLOCK_DIFFERENCE_MS)
}

/** The least id of that millisecond. */
function idAt(ms: number): string {
  return `${Math.max(0, ms).toString(16).padStart(12, '0')}00000000000000000000`
}
