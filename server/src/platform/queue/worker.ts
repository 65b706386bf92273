/**
 * The worker of a queue: claims due items in batches, handles them concurrently, completes them in batches. It knows
 * nothing about the items; the table provides the statements.
 *
 * Correctness rests on polling; wake() is only a hint. A claim is a lease with an owner; the worker extends its leases
 * while it lives, and a completion counts only while the lease is still its own.
 */
import { isDataError } from '../database/errors.ts'
import { createBatcher } from './batcher.ts'
import type { Demand, Lanes } from './lanes.ts'
import { createLoop, type Service } from './service.ts'
import type { Wake } from './wake.ts'

export interface QueueTable<Item, Completion> {
  /** Takes at most `limit` due items, from each lane at most as many as it has free slots. */
  claim(demand: Demand, limit: number): Promise<Item[]>
  /** For each completion, in order: whether the item was still ours to complete. */
  complete(completions: Completion[]): Promise<boolean[]>
  extend(items: Item[]): Promise<unknown>
  /** Gives back everything that is still ours. */
  release(): Promise<unknown>
}

export interface QueueWorkerOptions<Item, Completion> {
  name: string
  table: QueueTable<Item, Completion>
  lanes: Lanes
  laneOf: (item: Item) => string
  /** Resolves when the item may be handled; at once unless set. Never rejects. */
  ready?: (item: Item) => Promise<unknown>
  /** Never rejects: whatever happens becomes a completion. */
  handle: (item: Item, signal: AbortSignal) => Promise<Completion>
  /** Completions of one key are stored in the order in which they were made; undefined: in any order. */
  orderOf?: (completion: Completion) => string | undefined
  /** What to store when the database refuses a completion: the bare outcome, which can always be stored. */
  withoutDetails: (completion: Completion) => Completion
  /** The lane could not cope with the item and should get fewer slots. */
  isOverloaded?: (completion: Completion) => boolean
  wake: Wake
  leaseSeconds: number
  pollMs: number
  shutdownMs: number
  /** `completed` is false when another worker has taken over the item. */
  onHandled: (item: Item, completion: Completion, completed: boolean) => void
  onError: (error: unknown, doing: string) => void
}

/** Measured for claims and completions alike (bench/): larger batches gain nothing. */
const BATCH = 500
/** While several tenants are at work: nobody waits long for a claim that is mostly for another. */
const CONTENDED_BATCH = 100

export function createQueueWorker<Item extends { next_attempt_at: Date }, Completion>(
  options: QueueWorkerOptions<Item, Completion>,
): Service {
  const { table, lanes, laneOf, wake, onError } = options
  const inFlight = new Set<Item>()
  const stopping = new AbortController()
  let leasesRenewedMs = Date.now()
  let renewing: Promise<void> | undefined
  let onIdle: (() => void) | undefined

  const completer = createBatcher<Completion, boolean>({
    flush: completions => completePersistently(completions),
    maxBatch: BATCH,
    slots: 2,
    isolates: isDataError,
    ...(options.orderOf && { orderOf: options.orderOf }),
  })

  /** The outcome is known but not yet stored: keep trying. In the end the lease decides who may store it. */
  async function completePersistently(completions: Completion[]): Promise<boolean[]> {
    for (;;) {
      try {
        return await table.complete(completions)
      } catch (error) {
        onError(error, 'complete')
        // Data that the database refuses would be refused again; the rest of the batch must not wait for it.
        if (stopping.signal.aborted || isDataError(error)) throw error
        await new Promise(resolve => setTimeout(resolve, 500))
      }
    }
  }

  async function handle(item: Item): Promise<void> {
    // An item that waits for another one takes no slot from those that need not wait.
    await options.ready?.(item)
    const completion = await lanes.work(laneOf(item), () => options.handle(item, stopping.signal))
    try {
      const completed = await completer.add(completion).catch(error => {
        if (!isDataError(error)) throw error
        return completer.add(options.withoutDetails(completion))
      })
      options.onHandled(item, completion, completed)
    } catch (error) {
      onError(error, 'complete')
    } finally {
      inFlight.delete(item)
      lanes.giveBack(laneOf(item), options.isOverloaded?.(completion) ?? false)
      if (inFlight.size === 0) onIdle?.()
    }
  }

  /** Claims once; returns how long to wait before claiming again. */
  async function round(): Promise<number> {
    // After an outage of the database our own leases may have run out. They are renewed first; otherwise we would
    // claim our own items again and do everything in flight twice.
    await keepLeases()
    const demand = lanes.demand()
    const limit = lanes.isContended() ? CONTENDED_BATCH : BATCH
    const items = inTurn(await table.claim(demand, limit))
    const isCut = items.length >= limit
    const claimed = items.map(item => ({ lane: laneOf(item), dueAt: item.next_attempt_at }))
    const mayHaveMore = lanes.take(demand, claimed, isCut)
    for (const item of items) {
      inFlight.add(item)
      // A slot that becomes free is a reason to look again.
      void handle(item).then(() => wake.call())
    }
    return isCut || mayHaveMore ? 0 : options.pollMs
  }

  /** Oldest first, but those of a lane with few before those of a lane with many: one message does not wait for a crowd. */
  function inTurn(items: Item[]): Item[] {
    const counts = new Map<string, number>()
    for (const item of items) counts.set(laneOf(item), (counts.get(laneOf(item)) ?? 0) + 1)
    return items.sort(
      (a, b) =>
        counts.get(laneOf(a))! - counts.get(laneOf(b))! ||
        a.next_attempt_at.getTime() - b.next_attempt_at.getTime(),
    )
  }

  /** Resolves when everything in flight is ours for a while longer. Only a renewal that succeeded counts. */
  async function keepLeases(): Promise<void> {
    if (inFlight.size === 0 || Date.now() - leasesRenewedMs < (options.leaseSeconds * 1000) / 3) return
    renewing ??= renewLeases().finally(() => {
      renewing = undefined
    })
    await renewing
  }

  async function renewLeases(): Promise<void> {
    const sentMs = Date.now()
    await table.extend([...inFlight])
    leasesRenewedMs = sentMs
  }

  const loop = createLoop({
    name: options.name,
    round,
    wait: ms => wake.wait(ms),
    interrupt: () => wake.call(),
    onError: error => onError(error, 'claim'),
  })
  let heartbeat: NodeJS.Timeout | undefined

  return {
    name: options.name,
    async start() {
      // A separate timer: the loop may be waiting for a slow claim while leases run out.
      heartbeat = setInterval(
        () => keepLeases().catch(error => onError(error, 'lease')),
        (options.leaseSeconds * 1000) / 6,
      )
      await loop.start()
    },
    /** Finishes what is in flight. What does not finish in time is aborted, then given back. */
    async stop() {
      await loop.stop()
      await untilIdle(options.shutdownMs)
      stopping.abort()
      await untilIdle(2000)
      clearInterval(heartbeat)
      await table.release().catch(error => onError(error, 'release'))
    },
  }

  function untilIdle(timeoutMs: number): Promise<void> {
    if (inFlight.size === 0) return Promise.resolve()
    return new Promise(resolve => {
      const timer = setTimeout(resolve, timeoutMs)
      onIdle = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
