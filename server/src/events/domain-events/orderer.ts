/**
 * Gives committed events their place in the tenant's log. Readers go by place, so an event that commits late gets a later
 * one and is never passed; functions/domain-events/order_events.sql says how. Tenants take turns, a portion each.
 */
import type { Pool } from '../../platform/database/pool.ts'
import { createLoop, type Service } from '../../platform/queue/service.ts'
import type { Wake } from '../../platform/queue/wake.ts'
import { orderEvents, selectUnorderedTenants } from './queries.ts'

const MAX_EVENTS = 1000
const MAX_TENANTS = 50

export interface OrdererOptions {
  pool: Pool
  wake: Wake
  pollMs: number
  /** Whoever reads the log has something to do. */
  onOrdered: () => void
  onError: (error: unknown) => void
}

export function createOrderer(options: OrdererOptions): Service {
  let lastTenant: string | undefined
  return createLoop({
    name: 'event orderer',
    async round() {
      const beganAt = lastTenant
      const tenants = await selectUnorderedTenants(options.pool, lastTenant, MAX_TENANTS)
      const ordered = await orderTenants(options, tenants)
      const isEnd = tenants.length < MAX_TENANTS
      lastTenant = isEnd ? undefined : tenants.at(-1)
      return isEnd && ordered === 0 && beganAt === undefined ? options.pollMs : 0
    },
    wait: ms => options.wake.wait(ms),
    interrupt: () => options.wake.call(),
    onError: options.onError,
  })
}

/** Until no event gets a place any more: those of transactions that are still open get theirs later. */
export async function orderAllEvents(pool: Pool): Promise<void> {
  for (let ordered = 1; ordered > 0; ) {
    ordered = 0
    for (const tenant of await selectUnorderedTenants(pool, undefined, MAX_TENANTS))
      ordered += (await orderEvents(pool, tenant, MAX_EVENTS)) ?? 0
  }
}

/** One tenant whose events cannot be put in order must not keep the others from theirs. */
async function orderTenants(options: OrdererOptions, tenants: string[]): Promise<number> {
  let sum = 0
  for (const tenant of tenants) {
    try {
      const ordered = (await orderEvents(options.pool, tenant, MAX_EVENTS)) ?? 0
      if (ordered > 0) options.onOrdered()
      sum += ordered
    } catch (error) {
      options.onError(error)
    }
  }
  return sum
}
