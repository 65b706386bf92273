/**
 * Has a consumer read the logs of all tenants: one portion each in turn, several tenants at once, each tenant by one
 * worker. Only transactions take a slot. Whoever waits for an answer from elsewhere (`prepare`) has none, so a tenant
 * whose own server hangs keeps nobody from reading.
 */
import type { Pool } from '../../platform/database/pool.ts'
import { createConcurrencyLimit } from '../../platform/queue/concurrency-limit.ts'
import { createLoop, type Service } from '../../platform/queue/service.ts'
import type { Wake } from '../../platform/queue/wake.ts'
import type { EventConsumer, LoggedEvent } from './consumer.ts'
import { drainPortion } from './drain.ts'
import { selectWaitingTenants } from './queries.ts'

/** Transactions at once, per consumer and process. */
const MAX_TRANSACTIONS = 3
/** Tenants at once, most of which wait for a slot or for somebody's answer. */
const MAX_TENANTS = 100
/** How long a tenant is left alone that another process reads, or whose turn ended with an error. */
const REST_MS = 250

export interface ConsumerLoopOptions {
  pool: Pool
  consumer: EventConsumer
  wake: Wake
  pollMs: number
  maxEvents?: number
  onDead: (tenantId: string, event: LoggedEvent) => void
  onError: (error: unknown) => void
}

export function createConsumerLoop(options: ConsumerLoopOptions): Service {
  const { pool, consumer, wake } = options
  const slots = createConcurrencyLimit(MAX_TRANSACTIONS)
  const reading = new Map<string, Promise<void>>()
  const resting = new Map<string, NodeJS.Timeout>()
  let lastTenant: string | undefined
  let isStopping = false

  const loop = createLoop({
    name: `event consumer ${consumer.name}`,
    async round() {
      const free = MAX_TENANTS - reading.size
      if (free <= 0) return options.pollMs
      const except = [...reading.keys(), ...resting.keys()]
      const tenants = await selectWaitingTenants(pool, consumer.name, { lastTenant, except, limit: free })
      const beganAt = lastTenant
      const isEnd = tenants.length < free
      lastTenant = isEnd ? undefined : tenants.at(-1)
      for (const tenant of tenants) reading.set(tenant, read(tenant))
      return isEnd && beganAt === undefined ? options.pollMs : 0
    },
    wait: ms => wake.wait(ms),
    interrupt: () => wake.call(),
    onError: options.onError,
  })

  /** Portion after portion; waiting for a slot in between is what makes tenants take turns. */
  async function read(tenant: string): Promise<void> {
    try {
      let drained: Awaited<ReturnType<typeof drainPortion>> = 'more'
      while (drained === 'more' && !isStopping) {
        drained = await drainPortion({ ...options, inTurn: slots.run }, tenant)
        if (drained === 'more' || drained === 'end') consumer.onCommitted?.(tenant)
      }
      if (drained === 'busy') rest(tenant)
    } catch (error) {
      options.onError(error)
      rest(tenant)
    } finally {
      reading.delete(tenant)
      // What came while it was being read may have been found already, and passed over.
      if (!isStopping) wake.call()
    }
  }

  function rest(tenant: string): void {
    if (isStopping) return
    resting.set(
      tenant,
      setTimeout(() => {
        resting.delete(tenant)
        wake.call()
      }, REST_MS),
    )
  }

  return {
    name: loop.name,
    start: loop.start,
    async stop() {
      isStopping = true
      await loop.stop()
      for (const timer of resting.values()) clearTimeout(timer)
      resting.clear()
      await Promise.all(reading.values())
    },
  }
}
