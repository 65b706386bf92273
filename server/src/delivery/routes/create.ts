/** Making the routes of a part of a large audience; server/functions/routes/create_routes.sql has the rules. */
import type { Client } from '../../platform/database/pool.ts'

/** Answers how many are new: those of an earlier try are there already. */
export async function createRoutes(
  tx: Client,
  tenantId: string,
  notificationId: string,
  recipients: string[],
): Promise<number> {
  const { rows } = await tx.query<{ created: number }>('select create_routes($1, $2, $3) as created', [
    tenantId,
    notificationId,
    recipients,
  ])
  return rows[0]!.created
}
