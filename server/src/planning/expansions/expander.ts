/**
 * Turns large audiences into routes, a chunk per transaction. The row lock lives as long as the chunk: a worker that
 * dies loses at most that chunk, rolled back whole, and the next one goes on at the cursor. Ids of routes follow from
 * the recipient, so even a repeated chunk adds nothing.
 */
import { createRoutes } from '../../delivery/routes/create.ts'
import { type Client, type Pool, transaction } from '../../platform/database/pool.ts'
import { createLoop, type Service } from '../../platform/queue/service.ts'
import type { Wake } from '../../platform/queue/wake.ts'
import {
  deleteExpansion,
  finishExpansion,
  lockNextExpansion,
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
  let lastTenant: string | undefined
  return createLoop({
    name: 'expander',
    async round() {
      lastTenant = await expandChunk(options, lastTenant)
      return lastTenant === undefined ? options.pollMs : 0
    },
    wait: ms => options.wake.wait(ms),
    interrupt: () => options.wake.call(),
    onError: options.onError,
  })
}

/** Larger audiences wait behind messages for fewer people. The same number as in accept_intents(). */
const MAX_FEW = 100

/**
 * One chunk of an audience that waits. Tenants take turns, so that nobody waits for all of another's audience. Answers whose
 * it was; undefined when there was nothing to do.
 */
export async function expandChunk(
  options: Pick<ExpanderOptions, 'pool' | 'chunk' | 'onExpanded'>,
  lastTenant?: string,
): Promise<string | undefined> {
  const size = options.chunk ?? 5000
  const expanded = await transaction(options.pool, async tx => {
    const expansion = await lockNextExpansion(tx, lastTenant)
    if (expansion === undefined) return undefined
    const { tenant_id, notification_id, cursor } = expansion
    const ids = await selectAudienceChunk(tx, expansion, size)
    const isLast = ids.length < size
    const isBulk = !isLast || cursor !== '' || ids.length > MAX_FEW
    const routes = ids.length === 0 ? 0 : await createRoutes(tx, tenant_id, notification_id, ids, isBulk)
    if (isLast) await finishExpansion(tx, expansion)
    else await moveExpansion(tx, expansion, ids.at(-1)!)
    return { tenant_id, routes }
  })
  if (expanded !== undefined) options.onExpanded(expanded.routes)
  return expanded?.tenant_id
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
  const isAll = ids.length <= people
  if (ids.length > 0)
    await createRoutes(tx, tenantId, notificationId, ids.slice(0, people), !isAll || ids.length > MAX_FEW)
  return isAll
}

/** Ends the expansion of a large audience, after the chunk in work. Answers whether there was one. */
export async function stopExpansion(tx: Client, tenantId: string, notificationId: string): Promise<boolean> {
  return deleteExpansion(tx, tenantId, notificationId)
}
