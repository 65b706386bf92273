/**
 * Lanes: how many items of each kind may be claimed and handled at once, so that a kind that is stuck takes no slot
 * from the others. The lanes of a group share its slots fairly (shares.ts). Each lane has a watermark that skips what is
 * known to be done or claimed by us. A full scan about every second finds what was committed late with an earlier time,
 * and leases that have run out.
 */
import { type ConcurrencyLimit, createConcurrencyLimit } from './concurrency-limit.ts'
import { type Claimant, isActive, type Shares, shareSlots } from './shares.ts'

export interface LaneDemand {
  lane: string
  /** Slots left. A full lane is listed too, so that a claim knows of it. */
  free: number
  /** Nothing is due before this time. null: look from the beginning. */
  watermark: Date | null
}

/**
 * A crowded lane had more to do than it was given: there is always another batch of it, and claiming one takes a while.
 * The others are claimed apart, so that somebody's single message does not wait for somebody else's batches. A lane is
 * always in one of the two, and changes only when a claim of its own has ended.
 */
export const CROWDS = ['crowded', 'others'] as const
export type Crowd = (typeof CROWDS)[number]

export interface Demand {
  /** Every known lane; the one whose last claim is longest ago comes first. Those of the other crowd have no free slots. */
  lanes: LaneDemand[]
  /** Whether to look for lanes that are not known yet. */
  findsNew: boolean
  /** Slots for each lane of the group that is not known yet. */
  freeForNewcomer(group: string): number
}

export interface ClaimedItem {
  lane: string
  dueAt: Date
}

export interface Lanes {
  demand(crowd: Crowd): Demand
  crowdOf(lane: string): Crowd
  /**
   * Items of several owners are in hand or waiting, or were a moment ago: whoever sends one message now and then has none
   * in hand for most of the time, and yet its next one should not wait for a large batch of somebody else.
   */
  isContended(): boolean
  /**
   * Counts what a claim brought; `isCut` when it ended at its limit before every lane was asked. Answers whether a lane
   * got as many as it had slots, or as the claim had room for, so that there may be more.
   */
  take(demand: Demand, items: ClaimedItem[], isCut: boolean): boolean
  /** Handles a claimed item when it is its turn. */
  work<T>(lane: string, work: () => Promise<T>): Promise<T>
  /** An overloaded lane loses half its slots; every success gives one back. */
  giveBack(lane: string, isOverloaded: boolean): void
}

export interface LanesOptions {
  /** Lanes of different groups share nothing. */
  groupOf?: (lane: string) => string
  /** Whose lane it is: owners share the slots of a group, and the lanes of an owner share what it gets. */
  ownerOf: (lane: string) => string
  /** Maximum items being handled at once, per lane. */
  concurrency: (lane: string) => number
  /** Items claimed at once in a group while nobody else waits. */
  slots: (group: string) => number
  /** While a lane is known, a claim need not search for it. */
  forgetAfterMs?: number
  now?: () => number
}

/**
 * Items claimed for each one being handled: while some are being handled, others are being stored and the next are
 * being claimed. With only as many slots as handlers, the three would take turns (measured: a third of the rate).
 */
export const CLAIMED_PER_HANDLED = 4

const FULL_SCAN_INTERVAL_MS = 1000
const CONTENDED_FOR_MS = 1000
const FORGET_AFTER_MS = 300_000

interface Lane extends Claimant {
  group: string
  limit: ConcurrencyLimit
  /** How many may be claimed: concurrency × CLAIMED_PER_HANDLED, fewer while the lane is overloaded. */
  slots: number
  watermark: Date | null
  usedAtMs: number
}

const crowdOf = (lane: Lane | undefined): Crowd => (lane?.isHungry ? 'crowded' : 'others')

export function createLanes(options: LanesOptions): Lanes {
  const { groupOf = () => '', forgetAfterMs = FORGET_AFTER_MS, now = Date.now } = options
  const lanes = new Map<string, Lane>()
  let lastFullScanMs = 0

  function newLane(name: string): Lane {
    return {
      group: groupOf(name),
      owner: options.ownerOf(name),
      limit: createConcurrencyLimit(options.concurrency(name)),
      claimed: 0,
      isHungry: false,
      slots: maxSlots(name),
      watermark: null,
      usedAtMs: now(),
    }
  }

  function maxSlots(name: string): number {
    return options.concurrency(name) * CLAIMED_PER_HANDLED
  }

  function sharesOf(group: string): Shares {
    return shareSlots(
      options.slots(group),
      [...lanes.values()].filter(lane => lane.group === group),
    )
  }

  function startFullScan(): void {
    lastFullScanMs = now()
    for (const [name, lane] of lanes) {
      lane.watermark = null
      if (lane.claimed === 0 && now() - lane.usedAtMs > forgetAfterMs) lanes.delete(name)
    }
  }

  function add({ lane: name, dueAt }: ClaimedItem): void {
    const lane = lanes.get(name) ?? newLane(name)
    lane.claimed++
    lane.usedAtMs = now()
    if (lane.watermark === null || dueAt > lane.watermark) lane.watermark = dueAt
    // A map keeps the order of insertion: the lane just served goes to the end.
    lanes.delete(name)
    lanes.set(name, lane)
  }

  function freeOf(lane: Lane, shares: Shares): number {
    return Math.max(0, Math.min(lane.slots - lane.claimed, shares.freeFor(lane)))
  }

  return {
    demand(crowd) {
      if (now() - lastFullScanMs >= FULL_SCAN_INTERVAL_MS) startFullScan()
      const known = new Map<string, Shares>()
      const sharesIn = (group: string): Shares => {
        const shares = known.get(group) ?? sharesOf(group)
        known.set(group, shares)
        return shares
      }
      return {
        lanes: [...lanes].map(([name, lane]) => ({
          lane: name,
          free: crowdOf(lane) === crowd ? freeOf(lane, sharesIn(lane.group)) : 0,
          watermark: lane.watermark,
        })),
        findsNew: crowd === 'others',
        freeForNewcomer: group => sharesIn(group).freeForNewcomer,
      }
    },
    crowdOf: name => crowdOf(lanes.get(name)),
    isContended() {
      const isInUse = (lane: Lane) => isActive(lane) || now() - lane.usedAtMs < CONTENDED_FOR_MS
      return new Set([...lanes.values()].filter(isInUse).map(lane => lane.owner)).size > 1
    },
    take(demand, items, isCut) {
      const counts = new Map<string, number>()
      for (const item of items) {
        add(item)
        counts.set(item.lane, (counts.get(item.lane) ?? 0) + 1)
      }
      // A lane that was found by another claim meanwhile is none of this one's business.
      const asked = new Map(demand.lanes.map(({ lane, free }) => [lane, free]))
      let mayHaveMore = false
      for (const [name, lane] of lanes) {
        const free = asked.get(name) ?? (counts.has(name) ? demand.freeForNewcomer(lane.group) : 0)
        const count = counts.get(name) ?? 0
        // What ended at its limit was ended by those that got most of it.
        const isFilled = isCut && count > 1 && count * counts.size >= items.length
        const hasMore = free > 0 && (count >= free || isFilled)
        mayHaveMore ||= hasMore
        // A lane without slots was not asked, nor perhaps those that a cut left out.
        if (free > 0 && (hasMore || !isCut)) lane.isHungry = hasMore
      }
      return mayHaveMore
    },
    work: (name, work) => lanes.get(name)!.limit.run(work),
    giveBack(name, isOverloaded) {
      const lane = lanes.get(name)!
      lane.claimed--
      lane.slots = isOverloaded
        ? Math.max(1, Math.floor(lane.slots / 2))
        : Math.min(maxSlots(name), lane.slots + 1)
    },
  }
}
