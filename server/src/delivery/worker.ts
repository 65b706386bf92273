/**
 * The delivery worker: claims due routes in batches, delivers them concurrently, completes them in batches.
 *
 * Polling is the truth, wake() only a hint. Each channel has its own places, so a provider that hangs delays nobody
 * else. The watermark skips what is known to be done or in our hands; a full look about every second finds what was
 * committed late with an earlier time and the leases that ran out.
 */
import { CHANNELS, type Channel } from '@carillon/contract'
import { isDataError } from '../db/errors.ts'
import type { Pool } from '../db/pool.ts'
import { createBatcher } from '../queue/batcher.ts'
import { createLoop, type Service } from '../queue/service.ts'
import { createTurnstile } from '../queue/turnstile.ts'
import type { Wake } from '../queue/wake.ts'
import { type AttemptOptions, attemptDelivery } from './attempt.ts'
import { type ChannelDemand, type ClaimedRoute, claimRoutes, extendLeases, releaseLeases } from './claim.ts'
import { type CompletedRoute, type Completion, completeRoutes } from './complete.ts'
import { createPlaceTaker } from './places.ts'

export interface DeliveryEvents {
  /** One line per attempt. `completed` is false when another worker had taken the route over. */
  onAttempt: (route: ClaimedRoute, completion: Completion, completed: boolean) => void
  onDead: (tenantId: string, count: number) => void
  onError: (error: unknown, doing: string) => void
}

export interface DeliveryOptions {
  pool: Pool
  owner: string
  candidates: AttemptOptions['candidates']
  wake: Wake
  /** Most sends at once, per channel. */
  concurrency: number
  leaseSeconds: number
  pollMs: number
  shutdownMs: number
  unsubscribeUrl?: AttemptOptions['unsubscribeUrl']
  /** Tests set the time of day; the database's clock unless set. */
  now?: AttemptOptions['now']
  events: DeliveryEvents
}

/** The knee of claim and completion alike (bench/): larger batches gain nothing. */
const BATCH = 500
const FULL_LOOK_MS = 1000

/**
 * Routes in hand for each one being sent: while some are sent, others are being stored and the next are being claimed.
 * With as many places as sends the three would take turns (measured: a third of the rate).
 */
const IN_HAND = 4

export function createDeliveryWorker(options: DeliveryOptions): Service {
  const { pool, owner, wake, events } = options
  const inFlight = new Map<ClaimedRoute, Channel>()
  const places = new Map<Channel, number>(CHANNELS.map(channel => [channel, options.concurrency * IN_HAND]))
  const turnstiles = new Map(CHANNELS.map(channel => [channel, createTurnstile(options.concurrency)]))
  const watermarks = new Map<Channel, Date>()
  const stopping = new AbortController()
  let lastFullLook = 0
  let lastSignOfLife = Date.now()
  let renewing: Promise<void> | undefined
  let landed: (() => void) | undefined
  /** The database's clock beside ours, as the last claim showed it. */
  let clockAheadMs = 0

  const completer = createBatcher<Completion, boolean>({
    flush: completions => completePersistently(completions),
    maxBatch: BATCH,
    slots: 2,
    isolates: isDataError,
  })

  /** The outcome is known but not yet stored: keep trying, the lease decides in the end who may. */
  async function completePersistently(completions: Completion[]): Promise<boolean[]> {
    for (;;) {
      try {
        return markCompleted(completions, await completeRoutes(pool, owner, completions))
      } catch (error) {
        events.onError(error, 'complete')
        // Data that the database refuses is refused again; the others of the batch must not wait for it.
        if (stopping.signal.aborted || isDataError(error)) throw error
        await new Promise(resolve => setTimeout(resolve, 500))
      }
    }
  }

  function markCompleted(completions: Completion[], completed: CompletedRoute[]): boolean[] {
    const done = new Set(completed.map(keyOf))
    const marks = completions.map(completion => done.has(keyOf(completion)))
    const dead = new Map<string, number>()
    completions.forEach((completion, i) => {
      if (marks[i] && completion.status === 'dead') {
        dead.set(completion.tenant_id, (dead.get(completion.tenant_id) ?? 0) + 1)
      }
    })
    for (const [tenantId, count] of dead) events.onDead(tenantId, count)
    return marks
  }

  const attemptOptions: AttemptOptions = {
    candidates: options.candidates,
    now: options.now ?? (() => new Date(Date.now() + clockAheadMs)),
    takePlace: createPlaceTaker(pool, owner),
    unsubscribeUrl: options.unsubscribeUrl ?? (() => null),
    signal: stopping.signal,
    random: Math.random,
  }

  async function deliver(route: ClaimedRoute): Promise<void> {
    const completion = await turnstiles.get(route.channel)!.pass(() => attemptDelivery(route, attemptOptions))
    try {
      const completed = await completer.add(completion).catch(error => {
        if (!isDataError(error)) throw error
        return completer.add(withoutDetails(completion))
      })
      events.onAttempt(route, completion, completed)
    } catch (error) {
      events.onError(error, 'complete')
    } finally {
      inFlight.delete(route)
      places.set(route.channel, (places.get(route.channel) ?? 0) + 1)
      if (inFlight.size === 0) landed?.()
    }
  }

  /** Claims once; answers how long nothing more is to be expected. */
  async function round(): Promise<number> {
    // After an outage of the database our own leases may have run out: renewed first, or we would take over from
    // ourselves and send everything in flight twice.
    await signOfLife()
    const demand = currentDemand()
    if (demand.length === 0) return options.pollMs
    const routes = await claimRoutes(pool, demand, owner, options.leaseSeconds)
    if (routes[0] !== undefined) clockAheadMs = routes[0].claimed_at.getTime() - Date.now()
    // The statement takes the oldest but answers in any order.
    routes.sort((a, b) => a.next_attempt_at.getTime() - b.next_attempt_at.getTime())
    for (const route of routes) {
      inFlight.set(route, route.channel)
      places.set(route.channel, (places.get(route.channel) ?? 0) - 1)
      const seen = watermarks.get(route.channel)
      if (seen === undefined || route.next_attempt_at > seen)
        watermarks.set(route.channel, route.next_attempt_at)
      // A place that becomes free is a reason to look again.
      void deliver(route).then(() => wake.call())
    }
    const mayHaveMore = demand.some(
      ({ channel, free }) => routes.filter(route => route.channel === channel).length === free,
    )
    return mayHaveMore && routes.length > 0 ? 0 : options.pollMs
  }

  function currentDemand(): ChannelDemand[] {
    if (Date.now() - lastFullLook >= FULL_LOOK_MS) {
      lastFullLook = Date.now()
      watermarks.clear()
    }
    return CHANNELS.map(channel => ({
      channel,
      free: Math.min(places.get(channel) ?? 0, BATCH),
      watermark: watermarks.get(channel) ?? null,
    })).filter(({ free }) => free > 0)
  }

  /** Resolves when what is in flight is ours for a while. Only a sign that arrived counts. */
  async function signOfLife(): Promise<void> {
    if (inFlight.size === 0 || Date.now() - lastSignOfLife < (options.leaseSeconds * 1000) / 3) return
    renewing ??= renewLeases().finally(() => {
      renewing = undefined
    })
    await renewing
  }

  async function renewLeases(): Promise<void> {
    const sentAt = Date.now()
    await extendLeases(pool, [...inFlight.keys()], owner, options.leaseSeconds)
    lastSignOfLife = sentAt
  }

  const loop = createLoop({
    name: 'delivery',
    round,
    wait: ms => wake.wait(ms),
    interrupt: () => wake.call(),
    onError: error => events.onError(error, 'claim'),
  })
  let heartbeat: NodeJS.Timeout | undefined

  return {
    name: 'delivery',
    async start() {
      // A timer of its own: the loop may be waiting for a slow claim while leases run out.
      heartbeat = setInterval(
        () => signOfLife().catch(error => events.onError(error, 'lease')),
        (options.leaseSeconds * 1000) / 6,
      )
      await loop.start()
    },
    /** Finishes what is in flight; what does not finish in time is aborted, then given back. */
    async stop() {
      await loop.stop()
      await allLanded(options.shutdownMs)
      stopping.abort()
      await allLanded(2000)
      clearInterval(heartbeat)
      await releaseLeases(pool, owner).catch(error => events.onError(error, 'release'))
    },
  }

  function allLanded(patienceMs: number): Promise<void> {
    if (inFlight.size === 0) return Promise.resolve()
    return new Promise(resolve => {
      const timer = setTimeout(resolve, patienceMs)
      landed = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

/** The outcome alone is always storable. */
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
