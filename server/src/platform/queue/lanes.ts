/**
 * Lanes: how many items of each kind may be in hand and in work at once, so that one that is stuck takes no place from
 * the others. Each lane has a watermark that skips what is known to be done or in our hands; a full look about every
 * second finds what was committed late with an earlier time, and the leases that ran out.
 */
import { type ConcurrencyLimit, createConcurrencyLimit } from './concurrency-limit.ts'

export interface LaneDemand {
  lane: string
  /** Places left; a full lane is listed too, as one that is known. */
  free: number
  /** Nothing due lies before it. null looks from the beginning. */
  watermark: Date | null
}

export interface Lanes {
  /** Every known lane, the one that waited longest for its turn first. */
  demand(): LaneDemand[]
  /** Places left altogether. */
  free(): number
  take(lane: string, dueAt: Date): void
  /** Does the work of an item in hand when it is the item's turn. */
  work<T>(lane: string, work: () => Promise<T>): Promise<T>
  /** A lane that strains gets half the places, and with every success one of them back. */
  giveBack(lane: string, isStrained: boolean): void
}

export interface LanesOptions {
  /** Lanes that are always there; others are known from their first item on. */
  fixed?: readonly string[]
  /** Most items in work at once, per lane. */
  concurrency: (lane: string) => number
  /** Most items in hand altogether. */
  total?: number
  now?: () => number
}

/**
 * Items in hand for each one in work: while some are in work, others are being stored and the next are being claimed.
 * With as many places as work the three would take turns (measured: a third of the rate).
 */
export const IN_HAND = 4

const FULL_LOOK_MS = 1000
/** As long as a lane is known, a claim need not search for it. */
const FORGET_MS = 300_000

interface Lane {
  limit: ConcurrencyLimit
  inHand: number
  places: number
  watermark: Date | null
  usedAt: number
}

export function createLanes(options: LanesOptions): Lanes {
  const { fixed = [], total = Number.POSITIVE_INFINITY, now = Date.now } = options
  const lanes = new Map<string, Lane>(fixed.map(lane => [lane, newLane(lane)]))
  let inHand = 0
  let lastFullLook = 0

  function newLane(name: string): Lane {
    const limit = createConcurrencyLimit(options.concurrency(name))
    return { limit, inHand: 0, places: mostPlaces(name), watermark: null, usedAt: now() }
  }

  function mostPlaces(name: string): number {
    return options.concurrency(name) * IN_HAND
  }

  function lookFully(): void {
    lastFullLook = now()
    for (const [name, lane] of lanes) {
      lane.watermark = null
      const isIdle = lane.inHand === 0 && now() - lane.usedAt > FORGET_MS
      if (isIdle && !fixed.includes(name)) lanes.delete(name)
    }
  }

  return {
    demand() {
      if (now() - lastFullLook >= FULL_LOOK_MS) lookFully()
      return [...lanes].map(([lane, { places, inHand, watermark }]) => ({
        lane,
        free: Math.max(0, places - inHand),
        watermark,
      }))
    },
    free: () => total - inHand,
    take(name, dueAt) {
      const lane = lanes.get(name) ?? newLane(name)
      lane.inHand++
      inHand++
      lane.usedAt = now()
      if (lane.watermark === null || dueAt > lane.watermark) lane.watermark = dueAt
      // A map keeps the order of insertion: whoever was served goes to the end.
      lanes.delete(name)
      lanes.set(name, lane)
    },
    work: (name, work) => lanes.get(name)!.limit.run(work),
    giveBack(name, isStrained) {
      const lane = lanes.get(name)!
      inHand--
      lane.inHand--
      lane.places = isStrained
        ? Math.max(1, Math.floor(lane.places / 2))
        : Math.min(mostPlaces(name), lane.places + 1)
    },
  }
}
