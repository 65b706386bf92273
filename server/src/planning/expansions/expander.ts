/**
 * Turns large audiences into routes, a chunk per transaction. The row lock lives as long as the chunk: a worker that
 * dies loses at most that chunk, rolled back whole, and the next one goes on at the cursor. Ids of routes follow from
 * the recipient, so even a repeated chunk adds nothing.
 */

import { createRoutes } from '../../delivery/routes/create.ts'
import { countRoutes, routesLeft } from '../../oversight/limits/route-quota.ts'
import { type Client, type Pool, transaction } from '../../platform/database/pool.ts'
import { createLoop, type Service } from '../../platform/queue/service.ts'
import type { Wake } from '../../platform/queue/wake.ts'
import {
  deleteExpansion,
  type ExpansionRow,
  finishExpansion,
  lockExpansion,
  moveExpansion,
  selectAudienceChunk,
  selectExpansion,
} from './queries.ts'

export interface ExpanderOptions {
  pool: Pool
  wake: Wake
  pollMs: number
  chunk?: number
  onExpanded: (routes: number) => void
  onError: (error: unknown) => void
}

export function createExpander(options: ExpanderOptions): Service {
  return createLoop({
    name: 'expander',
    round: async () => ((await expandChunk(options)) ? 0 : options.pollMs),
    wait: ms => options.wake.wait(ms),
    interrupt: () => options.wake.call(),
    onError: options.onError,
  })
}

/** One chunk of the oldest waiting audience. Answers whether there was anything to do. */
export async function expandChunk(
  options: Pick<ExpanderOptions, 'pool' | 'chunk' | 'onExpanded'>,
): Promise<boolean> {
  const created = await transaction(options.pool, async tx => {
    const expansion = await lockExpansion(tx)
    if (expansion === undefined) return undefined
    const left = await routesLeft(tx, expansion.tenant_id)
    const size = Math.min(options.chunk ?? 5000, peopleWithin(left, expansion))
    const ids = await selectAudienceChunk(tx, expansion, size)
    const last = ids.at(-1)
    const routes =
      last === undefined ? 0 : await createRoutes(tx, expansion.tenant_id, expansion.notification_id, ids)
    if (left !== null) await countRoutes(tx, expansion.tenant_id, routes)
    if (last === undefined || ids.length < size) await finishExpansion(tx, expansion)
    else await moveExpansion(tx, expansion, last)
    return routes
  })
  if (created === undefined) return false
  options.onExpanded(created)
  return true
}

/** Under a quota, the rest of an audience follows on another day. */
function peopleWithin(routes: number | null, { channel_count }: ExpansionRow): number {
  return routes === null ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(routes / channel_count))
}

/**
 * The routes of the first people of one record's audience, for whoever wants to see them. Answers whether that is all
 * of them; an audience that is expanded already is.
 */
export async function expandBeginning(
  tx: Client,
  tenantId: string,
  notificationId: string,
  people: number,
): Promise<boolean> {
  const expansion = await selectExpansion(tx, tenantId, notificationId)
  if (expansion === undefined) return true
  const ids = await selectAudienceChunk(tx, expansion, people + 1)
  if (ids.length > 0) await createRoutes(tx, tenantId, notificationId, ids.slice(0, people))
  return ids.length <= people
}

/** Ends the expansion of a large audience, after the chunk in work. Answers whether there was one. */
export async function stopExpansion(tx: Client, tenantId: string, notificationId: string): Promise<boolean> {
  return deleteExpansion(tx, tenantId, notificationId)
}
