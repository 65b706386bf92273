/** Creating the routes for a part of a large audience; the rules are in server/functions/routes/create_routes.sql. */
import type { Client } from '../../platform/database/pool.ts'

/** Answers how many are new; an earlier try may have created some already. */
export async function createRoutes(
  tx: Client,
  tenantId: string,
  notificationId: string,
  recipients: string[],
  isBulk: boolean,
): Promise<number> {
  const { rows } = await tx.query<{ created: number }>('select create_routes($1, $2, $3, $4) as created', [
    tenantId,
    notificationId,
    recipients,
    isBulk,
  ])
  return rows[0]!.created
}
