/**
 * Lanes: how many items of each kind may be claimed and handled at once, so that a kind that is stuck takes no slot
 * from the others. Each lane has a watermark that skips what is known to be done or claimed by us. A full scan about
 * every second finds what was committed late with an earlier time, and leases that have run out.
 */
import { type ConcurrencyLimit, createConcurrencyLimit } from './concurrency-limit.ts'

export interface LaneDemand {
  lane: string
  /** Slots left. A full lane is listed too, so that a claim knows of it. */
  free: number
  /** Nothing is due before this time. null: look from the beginning. */
  watermark: Date | null
}

export interface Lanes {
  /** Every known lane; the one whose last claim is longest ago comes first. */
  demand(): LaneDemand[]
  /** Slots left in all lanes together. */
  free(): number
  take(lane: string, dueAt: Date): void
  /** Handles a claimed item when it is its turn. */
  work<T>(lane: string, work: () => Promise<T>): Promise<T>
  /** An overloaded lane loses half its slots; every success gives one back. */
  giveBack(lane: string, isOverloaded: boolean): void
}

export interface LanesOptions {
  /** Lanes that always exist; others become known with their first item. */
  fixed?: readonly string[]
  /** Maximum items being handled at once, per lane. */
  concurrency: (lane: string) => number
  /** Maximum items claimed at once in all lanes together. */
  total?: number
  now?: () => number
}

/**
 * Items claimed for each one being handled: while some are being handled, others are being stored and the next are
 * being claimed. With only as many slots as handlers, the three would take turns (measured: a third of the rate).
 */
export const CLAIMED_PER_HANDLED = 4

const FULL_SCAN_INTERVAL_MS = 1000
/** While a lane is known, a claim need not search for it. */
const FORGET_AFTER_MS = 300_000

interface Lane {
  limit: ConcurrencyLimit
  claimed: number
  /** How many may be claimed: concurrency × CLAIMED_PER_HANDLED, fewer while the lane is overloaded. */
  slots: number
  watermark: Date | null
  usedAtMs: number
}

export function createLanes(options: LanesOptions): Lanes {
  const { fixed = [], total = Number.POSITIVE_INFINITY, now = Date.now } = options
  const lanes = new Map<string, Lane>(fixed.map(lane => [lane, newLane(lane)]))
  let claimed = 0
  let lastFullScanMs = 0

  function newLane(name: string): Lane {
    const limit = createConcurrencyLimit(options.concurrency(name))
    return { limit, claimed: 0, slots: maxSlots(name), watermark: null, usedAtMs: now() }
  }

  function maxSlots(name: string): number {
    return options.concurrency(name) * CLAIMED_PER_HANDLED
  }

  function startFullScan(): void {
    lastFullScanMs = now()
    for (const [name, lane] of lanes) {
      lane.watermark = null
      const isIdle = lane.claimed === 0 && now() - lane.usedAtMs > FORGET_AFTER_MS
      if (isIdle && !fixed.includes(name)) lanes.delete(name)
    }
  }

  return {
    demand() {
      if (now() - lastFullScanMs >= FULL_SCAN_INTERVAL_MS) startFullScan()
      return [...lanes].map(([lane, { slots, claimed, watermark }]) => ({
        lane,
        free: Math.max(0, slots - claimed),
        watermark,
      }))
    },
    free: () => total - claimed,
    take(name, dueAt) {
      const lane = lanes.get(name) ?? newLane(name)
      lane.claimed++
      claimed++
      lane.usedAtMs = now()
      if (lane.watermark === null || dueAt > lane.watermark) lane.watermark = dueAt
      // A map keeps the order of insertion: the lane just served goes to the end.
      lanes.delete(name)
      lanes.set(name, lane)
    },
    work: (name, work) => lanes.get(name)!.limit.run(work),
    giveBack(name, isOverloaded) {
      const lane = lanes.get(name)!
      claimed--
      lane.claimed--
      lane.slots = isOverloaded
        ? Math.max(1, Math.floor(lane.slots / 2))
        : Math.min(maxSlots(name), lane.slots + 1)
    },
  }
}
