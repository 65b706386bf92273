/** The attempts of a route, as other slices and the API show them. */
import type { Attempt } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'
import { type AttemptRow, selectAttempts } from './queries.ts'

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
