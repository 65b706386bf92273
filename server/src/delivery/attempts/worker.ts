/**
 * The delivery worker: works off the queue of due routes. Each channel is a lane of its own, so a provider that hangs
 * delays no other channel.
 */
import { CHANNELS, type Channel } from '@carillon/contract'
import type { Pool } from '../../platform/database/pool.ts'
import { createLanes } from '../../platform/queue/lanes.ts'
import type { Service } from '../../platform/queue/service.ts'
import type { Wake } from '../../platform/queue/wake.ts'
import { createQueueWorker, type QueueTable } from '../../platform/queue/worker.ts'
import { createGates } from '../gates/gates.ts'
import { type ClaimedRoute, claimRoutes } from '../routes/claim.ts'
import { type CompletedRoute, type Completion, completeRoutes } from '../routes/complete.ts'
import { extendLeases, releaseLeases } from '../routes/leases.ts'
import { type AttemptOptions, attemptDelivery } from './attempt.ts'

export interface DeliveryEvents {
  /** One line per attempt. `completed` is false when another worker had taken the route over. */
  onAttempt: (route: ClaimedRoute, completion: Completion, completed: boolean) => void
  onDead: (tenantId: string, count: number) => void
  /** Called when there are new webhook events to dispatch. */
  onEmitted?: () => void
  onError: (error: unknown, doing: string) => void
}

export interface DeliveryOptions {
  pool: Pool
  owner: string
  candidates: AttemptOptions['candidates']
  /** Without it, the text of every message comes from its payload. */
  fillTemplate?: AttemptOptions['fillTemplate']
  wake: Wake
  /** The maximum number of sends at the same time, per channel. */
  concurrency: number
  leaseSeconds: number
  pollMs: number
  shutdownMs: number
  /** Without it, mails have no links to preferences. */
  links?: AttemptOptions['links']
  /** For tests; the database's clock unless set. */
  now?: AttemptOptions['now']
  events: DeliveryEvents
}

export function createDeliveryWorker(options: DeliveryOptions): Service {
  const { events, wake, leaseSeconds, pollMs, shutdownMs } = options
  const clock = createDatabaseClock()
  const parts = {
    candidates: options.candidates,
    fillTemplate: options.fillTemplate ?? (async () => undefined),
    now: options.now ?? clock.now,
    gates: createGates(options.pool, options.owner),
    links: options.links ?? (() => null),
    random: Math.random,
  }
  return createQueueWorker<ClaimedRoute, Completion>({
    name: 'delivery',
    table: createRouteTable(options, clock.adjust),
    lanes: createLanes({ fixed: CHANNELS, concurrency: () => options.concurrency }),
    laneOf: route => route.channel,
    handle: (route, signal) => attemptDelivery(route, { ...parts, signal }),
    withoutDetails,
    wake,
    leaseSeconds,
    pollMs,
    shutdownMs,
    onHandled: events.onAttempt,
    onError: events.onError,
  })
}

/** The database's clock, estimated from our own and from the time of the last claim. */
function createDatabaseClock() {
  let aheadMs = 0
  return {
    now: () => new Date(Date.now() + aheadMs),
    adjust(databaseTime: Date) {
      aheadMs = databaseTime.getTime() - Date.now()
    },
  }
}

function createRouteTable(
  options: DeliveryOptions,
  adjustClock: (databaseTime: Date) => void,
): QueueTable<ClaimedRoute, Completion> {
  const { pool, owner, leaseSeconds, events } = options
  return {
    async claim(demand, limit) {
      const wanted = demand
        .filter(({ free }) => free > 0)
        .map(({ lane, free, watermark }) => ({
          channel: lane as Channel,
          free: Math.min(free, limit),
          watermark,
        }))
      if (wanted.length === 0) return []
      const routes = await claimRoutes(pool, wanted, owner, leaseSeconds)
      if (routes[0] !== undefined) adjustClock(routes[0].claimed_at)
      return routes
    },
    async complete(completions) {
      const completed = await completeRoutes(pool, owner, completions, events.onEmitted)
      const keys = new Set(completed.map(keyOf))
      const isCompleted = completions.map(completion => keys.has(keyOf(completion)))
      reportDead(completions.filter((completion, i) => isCompleted[i] && completion.status === 'dead'))
      return isCompleted
    },
    extend: routes => extendLeases(pool, routes, owner, leaseSeconds),
    release: () => releaseLeases(pool, owner),
  }

  function reportDead(completions: Completion[]): void {
    const dead = new Map<string, number>()
    for (const { tenant_id } of completions) dead.set(tenant_id, (dead.get(tenant_id) ?? 0) + 1)
    for (const [tenantId, count] of dead) events.onDead(tenantId, count)
  }
}

/** For a completion that could not be stored: without texts from outside, it always can. */
function withoutDetails(completion: Completion): Completion {
  return {
    ...completion,
    message: 'The answer could not be stored.',
    provider_message_id: '',
    calls: [],
    gone_devices: [],
  }
}

const keyOf = (route: CompletedRoute): string =>
  `${route.tenant_id}/${route.notification_id}/${route.route_id}`
