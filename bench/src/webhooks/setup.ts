/** What the measurements of webhooks share. */
import type { Pool } from '../../../server/dist/platform/database/pool.js'
import type { Child } from '../child.ts'
import type { Context } from '../result.ts'
import { addDueRoutes } from '../tenant.ts'

export type Ordering = 'none' | 'endpoint'

export interface Setup extends Context {
  pool: Pool
  tenantId: string
  receiver: Child
  sender: Child
  address: string
  addEndpoint: (path: string, ordering?: Ordering) => Promise<string>
}

export const asRatio = (ratio: number) => ({
  measured: `${ratio.toFixed(2)} ×`,
  aim: '≤ 2.00 ×',
  isMet: ratio <= 2,
})

/** Leaves only new events waiting, created by accepting intents; removes what is left of earlier rounds. */
export async function prepare(pool: Pool, tenantId: string, events: number): Promise<void> {
  await pool.query('truncate outbox, webhook_deliveries, records cascade')
  if (events > 0) await addDueRoutes(pool, tenantId, events)
  await pool.query('vacuum (analyze) outbox')
}
