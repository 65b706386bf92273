/**
 * Turns large audiences into routes, one chunk per transaction. The expansion's row is locked for the duration of a
 * chunk: if a worker dies, only that chunk is rolled back, and the next worker continues from the cursor. A route's id
 * is made from channel and recipient, so even a repeated chunk adds nothing.
 */

import { createRoutes } from '../../delivery/routes/create.ts'
import { countRoutes, routesLeft } from '../../oversight/limits/route-quota.ts'
import { type Client, type Pool, transaction } from '../../platform/database/pool.ts'
import { createLoop, type Service } from '../../platform/queue/service.ts'
import type { Wake } from '../../platform/queue/wake.ts'
import type { Tracing } from '../../platform/tracing/tracing.ts'
import {
  deleteExpansion,
  type ExpansionRow,
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
  chunkSize?: number
  tracing?: Tracing | undefined
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
 * Expands one chunk of an audience that waits. Tenants take turns, so that nobody waits for all of another's audience.
 * Returns whose it was; undefined when there was nothing to do.
 */
export async function expandChunk(
  options: Pick<ExpanderOptions, 'pool' | 'chunkSize' | 'onExpanded' | 'tracing'>,
  lastTenant?: string,
): Promise<string | undefined> {
  const expanded = await transaction(options.pool, async tx => {
    const expansion = await lockNextExpansion(tx, lastTenant)
    if (expansion === undefined) return undefined
    const expand = () => expandPart(tx, expansion, options.chunkSize)
    return options.tracing === undefined ? expand() : traced(options.tracing, expansion, expand)
  })
  if (expanded !== undefined) options.onExpanded(expanded.routes)
  return expanded?.tenant_id
}

interface Expanded {
  tenant_id: string
  routes: number
}

function traced(
  tracing: Tracing,
  expansion: ExpansionRow,
  expand: () => Promise<Expanded>,
): Promise<Expanded> {
  const attributes = {
    'carillon.tenant_id': expansion.tenant_id,
    'carillon.notification_id': expansion.notification_id,
  }
  return tracing.span('expand audience', { parent: expansion.traceparent, attributes }, async span => {
    const expanded = await expand()
    span.set({ 'carillon.routes': expanded.routes })
    return expanded
  })
}

async function expandPart(tx: Client, expansion: ExpansionRow, chunkSize = 5000): Promise<Expanded> {
  const { tenant_id, notification_id, cursor } = expansion
  const left = await routesLeft(tx, tenant_id)
  const size = Math.min(chunkSize, peopleWithin(left, expansion))
  const ids = await selectAudienceChunk(tx, expansion, size)
  const isLast = ids.length < size
  const isBulk = !isLast || cursor !== '' || ids.length > MAX_FEW
  const routes = ids.length === 0 ? 0 : await createRoutes(tx, tenant_id, notification_id, ids, isBulk)
  if (left !== null) await countRoutes(tx, tenant_id, routes)
  if (isLast) await finishExpansion(tx, expansion)
  else await moveExpansion(tx, expansion, ids.at(-1)!)
  return { tenant_id, routes }
}

/** Under a quota, the rest of an audience follows on another day. */
function peopleWithin(routes: number | null, { channel_count }: ExpansionRow): number {
  return routes === null ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(routes / channel_count))
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
  const isAll = ids.length <= people
  if (ids.length > 0)
    await createRoutes(tx, tenantId, notificationId, ids.slice(0, people), !isAll || ids.length > MAX_FEW)
  return isAll
}

/** Stops the expansion of a large audience, once its current chunk is done. Returns whether there was one. */
export async function stopExpansion(tx: Client, tenantId: string, notificationId: string): Promise<boolean> {
  return deleteExpansion(tx, tenantId, notificationId)
}
