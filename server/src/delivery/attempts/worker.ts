/**
 * The delivery worker: works off the queue of due routes. Each channel has its own slots, which the tenants share fairly, so
 * a provider that hangs delays no other channel and no other tenant. Critical routes and those for a few people have lanes
 * of their own beside those for large audiences.
 */
import type { Channel } from '@carillon/contract'
import type { Pool } from '../../platform/database/pool.ts'
import { CLAIMED_PER_HANDLED, createLanes } from '../../platform/queue/lanes.ts'
import { createPace } from '../../platform/queue/pace.ts'
import type { Service } from '../../platform/queue/service.ts'
import type { Wake } from '../../platform/queue/wake.ts'
import { createQueueWorker, type QueueTable } from '../../platform/queue/worker.ts'
import type { Tracing } from '../../platform/tracing/tracing.ts'
import { createGates } from '../gates/gates.ts'
import type { AskVisibility } from '../gates/visibility-gate.ts'
import {
  type ClaimedRoute,
  claimRoutes,
  findNewLanes,
  type LaneDemand,
  type RouteLane,
} from '../routes/claim.ts'
import { type CompletedRoute, type Completion, completeRoutes } from '../routes/complete.ts'
import { selectDoubts } from '../routes/doubts.ts'
import { extendLeases, releaseLeases } from '../routes/leases.ts'
import { selectReachedDevices } from '../routes/reached-devices.ts'
import { setRouteAside } from '../routes/set-aside.ts'
import { type AttemptOptions, attemptDelivery } from './attempt.ts'
import { createOptionsLoader } from './send-options.ts'
import { traceAttempts } from './traced-attempt.ts'

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
  /** Mails without a template are plain text unless given. */
  layOut?: AttemptOptions['layOut']
  wake: Wake
  /** The maximum number of sends at the same time, per channel and lane. */
  concurrency: number
  leaseSeconds: number
  pollMs: number
  shutdownMs: number
  /** Without it, mails have no links to preferences. */
  links?: AttemptOptions['links']
  /** Asks tenants' own servers who may see what; without it, what they want to be asked about waits. */
  askVisibility?: AskVisibility
  /** Without it, nobody can reply to mails about threads. */
  replyAddress?: AttemptOptions['replyAddress']
  /** Without it, attempts leave no traces. */
  tracing?: Tracing | undefined
  /** For tests; the database's clock unless set. */
  now?: AttemptOptions['now']
  events: DeliveryEvents
}

/** Most tenants are quiet most of the time, and every known lane costs each claim a look. */
const FORGET_LANE_AFTER_MS = 30_000

export function createDeliveryWorker(options: DeliveryOptions): Service {
  const { events, wake, leaseSeconds, pollMs, shutdownMs } = options
  const clock = createDatabaseClock()
  const parts = {
    candidates: options.candidates,
    reachedDevices: (route: ClaimedRoute) => selectReachedDevices(options.pool, route),
    doubts: (route: ClaimedRoute) => selectDoubts(options.pool, route),
    fillTemplate: options.fillTemplate ?? (async () => undefined),
    layOut: options.layOut ?? (async () => null),
    now: options.now ?? clock.now,
    gates: createGates(options.pool, options.owner, options.askVisibility),
    links: options.links ?? (() => null),
    ...(options.replyAddress && { replyAddress: options.replyAddress }),
    completeOptions: createOptionsLoader(options.pool).complete,
    random: Math.random,
  }
  return createQueueWorker<ClaimedRoute, Completion>({
    name: 'delivery',
    table: createRouteTable(options, clock.adjust),
    lanes: createLanes({
      groupOf: lane => partsOf(lane).channel,
      ownerOf: lane => partsOf(lane).tenantId,
      concurrency: () => options.concurrency,
      slots: () => options.concurrency * CLAIMED_PER_HANDLED,
      forgetAfterMs: FORGET_LANE_AFTER_MS,
    }),
    laneOf,
    handle: traceAttempts(options.tracing, (route, signal) => attemptDelivery(route, { ...parts, signal })),
    withoutDetails,
    reclaim: {
      keyOf: routeKey,
      note(held, again) {
        held.claim_count = again.claim_count
      },
      renewed: (completion, { claim_count }) =>
        completion.claim_count === claim_count ? undefined : { ...completion, claim_count },
    },
    wake,
    leaseSeconds,
    pollMs,
    shutdownMs,
    onHandled: events.onAttempt,
    onError: events.onError,
  })
}

const laneOf = ({ tenant_id, channel, priority }: ClaimedRoute): string =>
  `${tenant_id}/${channel}/${priority}`

function partsOf(lane: string): RouteLane {
  const [tenantId, channel, priority] = lane.split('/') as [string, Channel, string]
  return { tenantId, channel, priority: Number(priority) }
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
  const search = createPace(() => options.wake.call())

  async function claim(lanes: LaneDemand[], limit: number): Promise<ClaimedRoute[]> {
    const routes = await claimRoutes(pool, lanes, limit, owner, leaseSeconds)
    if (routes[0] !== undefined) adjustClock(routes[0].claimed_at)
    return routes
  }

  async function findLanes(known: RouteLane[]): Promise<RouteLane[] | undefined> {
    return search
      .run(() => findNewLanes(pool, known))
      .catch(error => {
        events.onError(error, 'search')
        return undefined
      })
  }

  return {
    async claim(demand, limit) {
      const known = demand.lanes.map(({ lane, free, watermark }) => ({ ...partsOf(lane), free, watermark }))
      const withFree = known.filter(({ free }) => free > 0)
      const [routes, newLanes = []] = await Promise.all([
        withFree.length > 0 ? claim(withFree, limit) : [],
        demand.findsNew ? findLanes(known) : [],
      ])
      if (newLanes.length === 0) return routes
      const newcomers = newLanes.map(lane => ({
        ...lane,
        free: demand.freeForNewcomer(lane.channel),
        watermark: null,
      }))
      try {
        // With a limit of their own: those that are known may fill every claim for as long as they like.
        return [...routes, ...(await claim(newcomers, limit))]
      } catch (error) {
        // What has been claimed is in our hands, whatever became of the second claim.
        events.onError(error, 'claim')
        return routes
      }
    },
    async complete(completions) {
      const completed = await completeRoutes(pool, owner, completions, events.onEmitted)
      const keys = new Set(completed.map(keyOf))
      const isCompleted = completions.map(completion => keys.has(keyOf(completion)))
      reportDead(completions.filter((completion, i) => isCompleted[i] && completion.status === 'dead'))
      return isCompleted
    },
    setAside: (completion, error) => setRouteAside(pool, owner, completion, error),
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
    tickets: [],
  }
}

/** With the claim: after a lease that ran out, one batch may have completions of two claims of a route. */
const keyOf = (route: CompletedRoute): string => `${routeKey(route)}/${route.claim_count}`

const routeKey = (route: Omit<CompletedRoute, 'claim_count'>): string =>
  `${route.tenant_id}/${route.notification_id}/${route.route_id}`
