/** The routes that a tenant creates under its operator's quota; server/functions/limits/routes_left.sql has the rules. */
import type { Executor } from '../../platform/database/pool.ts'

/** How many it may still create today, locked until the transaction ends; null without a quota. */
export async function routesLeft(tx: Executor, tenantId: string): Promise<number | null> {
  const { rows } = await tx.query<{ left: number | null }>('select routes_left($1) as left', [tenantId])
  return rows[0]!.left
}

export async function countRoutes(db: Executor, tenantId: string, created: number): Promise<void> {
  await db.query('select count_routes($1, $2)', [tenantId, created])
}
