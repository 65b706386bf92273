/**
 * The worker of a queue: claims due items in batches, handles them concurrently, completes them in batches. It knows
 * nothing about the items; the table provides the statements.
 *
 * Correctness rests on polling; wake() is only a hint. A claim is a lease with an owner; the worker extends its leases
 * while it lives, and a completion counts only while the lease is still its own.
 */
import { setMaxListeners } from 'node:events'
import { isDataError, isRefusedStatement } from '../database/errors.ts'
import { createBatcher } from './batcher.ts'
import { CROWDS, type Crowd, type Demand, type Lanes } from './lanes.ts'
import { createLoop, type Service } from './service.ts'
import { createWake, type Wake } from './wake.ts'

export interface QueueTable<Item, Completion> {
  /** Takes at most `limit` due items, from each lane at most as many as it has free slots. */
  claim(demand: Demand, limit: number): Promise<Item[]>
  /** For each completion, in order: whether the item was still ours to complete. */
  complete(completions: Completion[]): Promise<boolean[]>
  extend(items: Item[]): Promise<unknown>
  /**
   * Ends an item whose completion is refused however bare it is, with as little as possible. Without it, the lease runs out
   * and the item is handled again.
   */
  setAside?(completion: Completion, error: unknown): Promise<boolean>
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
  /**
   * For items that must not be handled twice at once: when a claim returns one that is still in our hands, since its lease
   * ran out, the claim is noted on the item that is being handled, and the new one waits. It is dropped when the completion
   * is stored under the new claim; one stored under an earlier claim made the item due again, so it is handled then.
   */
  reclaim?: {
    keyOf: (item: Item) => string
    note: (held: Item, again: Item) => void
    /** The completion under the item's present claim; undefined if it was made under that one. */
    renewed: (completion: Completion, item: Item) => Completion | undefined
  }
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

const nextTurn = () => new Promise(resolve => setImmediate(resolve))
const pause = () => new Promise(resolve => setTimeout(resolve, PAUSE_MS))

/** Measured for claims and completions alike (bench/): larger batches gain nothing. */
const BATCH = 500
/**
 * While several tenants are at work: nobody waits long for a claim that is mostly for another, nor for the processor that
 * handles and stores it. Measured with two tenants, it costs no throughput; batches of 50 cost a third.
 */
const CONTENDED_BATCH = 100
/** A refusal may come from a plan that a connection remembers, so the statement gets another chance. */
const MAX_REFUSALS = 2
const PAUSE_MS = 500
/** Items whose handling begins in one turn of the event loop: a whole batch would keep everybody else's answers waiting. */
const SLICE = 20

export function createQueueWorker<Item extends { next_attempt_at: Date }, Completion extends object>(
  options: QueueWorkerOptions<Item, Completion>,
): Service {
  const { table, lanes, laneOf, onError } = options
  const wakeOf: Record<Crowd, Wake> = { crowded: createWake(), others: options.wake }
  const inFlight = new Set<Item>()
  const heldByKey = new Map<string, Item>()
  /** What was claimed while it was still in our hands, by the item in our hands. */
  const claimedAgain = new Map<Item, Item>()
  /** Completions stored so far: whatever is still refused when others were stored is at fault itself. */
  let storedCount = 0
  /** How many had been stored when these were refused first. */
  const refusedAt = new WeakMap<object, number>()
  const stopping = new AbortController()
  // All items that are being handled share it; Node would warn of a leak from the eleventh on.
  setMaxListeners(0, stopping.signal)
  let leasesRenewedMs = Date.now()
  let renewing: Promise<void> | undefined
  let onIdle: (() => void) | undefined

  const completer = createBatcher<Completion, boolean>({
    flush: completions => completePersistently(completions),
    maxBatch: batchSize,
    // While others wait for the processor, a second statement at the same time gains nothing (bench neighbours).
    slots: () => (lanes.isContended() ? 1 : 2),
    isolates: isRefusedStatement,
    isShared: error => !isDataError(error),
    ...(options.orderOf && { orderOf: options.orderOf }),
  })

  function batchSize(): number {
    return lanes.isContended() ? CONTENDED_BATCH : BATCH
  }

  /** The outcome is known but not yet stored: keep trying. In the end the lease decides who may store it. */
  async function completePersistently(completions: Completion[]): Promise<boolean[]> {
    for (let refusals = 0; ; ) {
      try {
        return await table.complete(completions)
      } catch (error) {
        onError(error, 'complete')
        for (const each of completions) if (!refusedAt.has(each)) refusedAt.set(each, storedCount)
        // Data that the database refuses would be refused again; the rest of the batch must not wait for it.
        if (stopping.signal.aborted || isDataError(error)) throw error
        if (isRefusedStatement(error) && ++refusals === MAX_REFUSALS) throw error
        await pause()
      }
    }
  }

  /**
   * Stores one completion. If it is refused while others are stored, it is stored bare, and if even that is refused, set
   * aside. While nothing can be stored, the database is at fault, and everything waits.
   */
  async function store(
    item: Item,
    completion: Completion,
  ): Promise<{ current: Completion; completed: boolean }> {
    let current = completion
    let isBare = false
    for (;;) {
      try {
        const completed = await completer.add(current)
        const renewed = completed ? undefined : options.reclaim?.renewed(current, item)
        if (completed) storedCount++
        if (renewed === undefined) return { current, completed }
        current = renewed
      } catch (error) {
        if (stopping.signal.aborted || !isRefusedStatement(error)) throw error
        const isAtFault = isDataError(error) || storedCount > (refusedAt.get(completion) ?? storedCount)
        if (isAtFault && isBare) return { current, completed: await setAside(current, error) }
        if (isAtFault) {
          current = options.withoutDetails(current)
          isBare = true
        } else await pause()
      }
    }
  }

  async function setAside(completion: Completion, error: unknown): Promise<boolean> {
    if (table.setAside === undefined) throw error
    return table.setAside(completion, error)
  }

  async function handle(item: Item): Promise<void> {
    // An item that waits for another one takes no slot from those that need not wait.
    await options.ready?.(item)
    const completion = await lanes.work(laneOf(item), () => options.handle(item, stopping.signal))
    let next: Item | undefined
    try {
      const { current, completed } = await store(item, completion)
      options.onHandled(item, completion, completed)
      if (completed && options.reclaim?.renewed(current, item) !== undefined) next = claimedAgain.get(item)
    } catch (error) {
      onError(error, 'complete')
    } finally {
      letGo(item, options.isOverloaded?.(completion) ?? false)
      if (next === undefined) drop(claimedAgain.get(item))
      else hold(next)
      claimedAgain.delete(item)
      if (inFlight.size === 0) onIdle?.()
    }
    if (next !== undefined) await handle(next)
  }

  function hold(item: Item): void {
    inFlight.add(item)
    if (options.reclaim) heldByKey.set(options.reclaim.keyOf(item), item)
  }

  function letGo(item: Item, isOverloaded: boolean): void {
    inFlight.delete(item)
    if (options.reclaim) heldByKey.delete(options.reclaim.keyOf(item))
    lanes.giveBack(laneOf(item), isOverloaded)
  }

  /** What another claim or a completion answers for needs no slot any more. */
  function drop(again: Item | undefined): void {
    if (again !== undefined) lanes.giveBack(laneOf(again), false)
  }

  /** Claims once, for the crowded lanes or for all others; returns how long to wait before claiming again. */
  async function round(crowd: Crowd): Promise<number> {
    // After an outage of the database our own leases may have run out. They are renewed first; otherwise we would
    // claim our own items again and do everything in flight twice.
    await keepLeases()
    const demand = lanes.demand(crowd)
    if (!demand.findsNew && demand.lanes.every(({ free }) => free === 0)) return options.pollMs
    const limit = batchSize()
    const items = inTurn(await table.claim(demand, limit))
    const isCut = items.length >= limit
    const claimed = items.map(item => ({ lane: laneOf(item), dueAt: item.next_attempt_at }))
    const mayHaveMore = lanes.take(demand, claimed, isCut)
    await begin(items.filter(item => !isReclaimed(item)))
    if (mayHaveMore) wakeOf.crowded.call()
    return isCut ? 0 : options.pollMs
  }

  async function begin(items: Item[]): Promise<void> {
    for (const item of items) inFlight.add(item)
    for (const [i, item] of items.entries()) {
      // A slot that becomes free is a reason to look again.
      void handle(item).then(() => wakeOf[lanes.crowdOf(laneOf(item))].call())
      if (i % SLICE === SLICE - 1) await nextTurn()
    }
  }

  /** A claim may have been on its way for so long that our own leases ran out in the meantime. */
  function isReclaimed(item: Item): boolean {
    if (options.reclaim === undefined) return false
    const { keyOf, note } = options.reclaim
    const held = heldByKey.get(keyOf(item))
    if (held === undefined) heldByKey.set(keyOf(item), item)
    else {
      note(held, item)
      drop(claimedAgain.get(held))
      claimedAgain.set(held, item)
    }
    return held !== undefined
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

  const loops = CROWDS.map(crowd =>
    createLoop({
      name: options.name,
      round: () => round(crowd),
      wait: ms => wakeOf[crowd].wait(ms),
      interrupt: () => wakeOf[crowd].call(),
      onError: error => onError(error, 'claim'),
    }),
  )
  let heartbeat: NodeJS.Timeout | undefined

  return {
    name: options.name,
    async start() {
      // A separate timer: the loop may be waiting for a slow claim while leases run out.
      heartbeat = setInterval(
        () => keepLeases().catch(error => onError(error, 'lease')),
        (options.leaseSeconds * 1000) / 6,
      )
      for (const loop of loops) await loop.start()
    },
    /** Finishes what is in flight. What does not finish in time is aborted, then given back. */
    async stop() {
      await Promise.all(loops.map(loop => loop.stop()))
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
