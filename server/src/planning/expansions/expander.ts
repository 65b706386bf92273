/**
 * Turns large audiences into routes, one chunk per transaction. The expansion's row is locked for the duration of a
 * chunk: if a worker dies, only that chunk is rolled back, and the next worker continues from the cursor. A route's id
 * is made from channel and recipient, so even a repeated chunk adds nothing.
 */
import { createRoutes } from '../../delivery/routes/create.ts'
import { type Client, type Pool, transaction } from '../../platform/database/pool.ts'
import { createLoop, type Service } from '../../platform/queue/service.ts'
import type { Wake } from '../../platform/queue/wake.ts'
import {
  deleteExpansion,
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
  chunkSize?: number
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

/** Expands one chunk of the oldest waiting audience. Returns whether there was one. */
export async function expandChunk(
  options: Pick<ExpanderOptions, 'pool' | 'chunkSize' | 'onExpanded'>,
): Promise<boolean> {
  const size = options.chunkSize ?? 5000
  const created = await transaction(options.pool, async tx => {
    const expansion = await lockExpansion(tx)
    if (expansion === undefined) return undefined
    const ids = await selectAudienceChunk(tx, expansion, size)
    const last = ids.at(-1)
    const routes =
      last === undefined ? 0 : await createRoutes(tx, expansion.tenant_id, expansion.notification_id, ids)
    if (last === undefined || ids.length < size) await finishExpansion(tx, expansion)
    else await moveExpansion(tx, expansion, last)
    return routes
  })
  if (created === undefined) return false
  options.onExpanded(created)
  return true
}

/**
 * Creates the routes of the first `people` of a record's audience, for a simulation. Returns whether that is everybody,
 * as it is for an audience that needs no expansion.
 */
export async function expandFirstPeople(
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

/** Stops the expansion of a large audience, once its current chunk is done. Returns whether there was one. */
export async function stopExpansion(tx: Client, tenantId: string, notificationId: string): Promise<boolean> {
  return deleteExpansion(tx, tenantId, notificationId)
}
