/** The attempts of routes. */
import type { Attempt } from '@carillon/contract'
import type { Dated } from '../../platform/database/dated.ts'
import type { Executor } from '../../platform/database/pool.ts'

export type AttemptRow = Dated<Attempt, 'started_at' | 'next_attempt_at'> & { route_id: string }

const ATTEMPT_COLUMNS =
  'route_id, attempt_no, outcome, provider, message, worker, started_at, duration_ms, next_attempt_at, calls'

/** Every attempt of the given routes of one record, oldest first. */
export async function selectAttempts(
  db: Executor,
  tenantId: string,
  id: string,
  routeIds: string[],
): Promise<AttemptRow[]> {
  const of = (table: string) => `select ${ATTEMPT_COLUMNS} from ${table}
    where tenant_id = $1 and notification_id = $2 and route_id = any ($3::text[])`
  const { rows } = await db.query<AttemptRow>(
    `${of('route_attempts')} union all ${of('route_attempts_archive')} order by route_id, attempt_no`,
    [tenantId, id, routeIds],
  )
  return rows
}

export async function listAttempts(
  db: Executor,
  tenantId: string,
  notificationId: string,
  routeId: string,
): Promise<Attempt[]> {
  return (await selectAttempts(db, tenantId, notificationId, [routeId])).map(toAttempt)
}

function toAttempt(row: AttemptRow): Attempt {
  const { route_id: _, ...attempt } = row
  return {
    ...attempt,
    started_at: row.started_at.toISOString(),
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
  }
}
