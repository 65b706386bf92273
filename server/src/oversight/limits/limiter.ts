/**
 * The limits of callers: requests per minute, notifications per day. Exact over all processes, and yet seldom a query:
 * a process takes a hundredth of the limit at a time and hands it out itself; requests that come while it asks share the
 * next question; and a caller that is over its limit is refused from memory until its window ends. What is taken is
 * counted, so the sum never exceeds the limit; at worst each process leaves a hundredth of it unused.
 */

import { Refusal } from '../../platform/calls/refusal.ts'
import { createBatcher } from '../../platform/queue/batcher.ts'
import type { Caller, LimitStore, LimitType } from './store.ts'

export interface Allowance {
  granted: number
  limit: number
  remaining: number
  resetMs: number
}

/** A caller with the limits of its tenant; null = none. */
export interface LimitedCaller extends Caller {
  requests_per_minute: number | null
  notifications_per_day: number | null
}

export interface Limiter {
  /** undefined without a limit, at once and without asking anybody. */
  takeRequest(caller: LimitedCaller): Promise<Allowance> | undefined
  takeNotifications(caller: LimitedCaller, wanted: number): Promise<Allowance> | undefined
  /** What was taken and not used after all. */
  returnNotifications(caller: LimitedCaller, count: number): void
}

interface Window {
  caller: Caller
  type: LimitType
  /** Requests that wait for the store's answer; while there are any, what is held is theirs. */
  waiting: number
  used: number
  /** Taken from the store, not handed out yet. */
  held: number
  /** When it ends, by our own clock: never later than by the store's. */
  until: number
}

interface Item {
  window: Window
  limit: number
  wanted: number
}

const WINDOW_SECONDS: Record<LimitType, number> = { api: 60, notification: 86_400 }
const SHARE = 100
const MOST_WINDOWS = 10_000

export function createLimiter({ store, now }: { store: LimitStore; now: () => number }): Limiter {
  const windows = new Map<string, Window>()
  const batcher = createBatcher<Item, Allowance>({ flush, maxBatch: 1000 })

  function windowOf(caller: Caller, type: LimitType): Window {
    const name = `${type} ${caller.tenant_id} ${caller.user_id ?? `key ${caller.api_key_id}`}`
    let window = windows.get(name)
    if (window === undefined) {
      if (windows.size >= MOST_WINDOWS) forgetEnded()
      const { tenant_id, user_id, api_key_id } = caller
      window = { caller: { tenant_id, user_id, api_key_id }, type, waiting: 0, used: 0, held: 0, until: 0 }
      windows.set(name, window)
    }
    if (window.until <= now()) Object.assign(window, { used: 0, held: 0 })
    return window
  }

  /** A window that is forgotten too early only loses what it holds. */
  function forgetEnded(): void {
    for (const [name, window] of windows) if (window.until <= now()) windows.delete(name)
    if (windows.size >= MOST_WINDOWS) windows.clear()
  }

  async function take(caller: Caller, type: LimitType, limit: number, wanted: number): Promise<Allowance> {
    const item = { window: windowOf(caller, type), limit, wanted }
    const { window } = item
    if (isKnown(item) && window.waiting === 0) return handOut(item)
    window.waiting++
    return batcher.add(item).finally(() => window.waiting--)
  }

  /** Enough is held, or the limit is used up. */
  function isKnown({ window, limit, wanted }: Item): boolean {
    return window.until > now() && (window.held >= wanted || window.used >= limit)
  }

  function handOut({ window, limit, wanted }: Item): Allowance {
    const granted = Math.min(wanted, window.held)
    window.held -= granted
    const remaining = Math.max(0, limit - window.used) + window.held
    return { granted, limit, remaining, resetMs: Math.max(0, window.until - now()) }
  }

  /**
   * Those who came while an answer was under way mostly find enough in it. Were the store asked for them as well, others
   * would come meanwhile, and a busy caller would ask without end.
   */
  async function flush(items: Item[]): Promise<Allowance[]> {
    const open = [...new Set(items.map(item => item.window))]
      .map(window => sumOf(window, items))
      .filter(sum => !isKnown(sum))
    if (open.length > 0) await ask(open)
    return items.map(handOut)
  }

  function sumOf(window: Window, items: Item[]): Item {
    const own = items.filter(item => item.window === window)
    return { window, limit: own[0]!.limit, wanted: own.reduce((sum, item) => sum + item.wanted, 0) }
  }

  async function ask(items: Item[]): Promise<void> {
    const asked = now()
    const answers = await store.countRequests(
      items.map(({ window, limit, wanted }) => ({
        caller: window.caller,
        limit_type: window.type,
        window_seconds: WINDOW_SECONDS[window.type],
        limit,
        wanted: wanted - heldAt(window, asked) + Math.floor(limit / SHARE),
        known: { used: window.used, ms: Math.max(0, window.until - asked) },
      })),
    )
    items.forEach(({ window }, i) => {
      const { granted, used, reset_ms } = answers[i]!
      // Counted from before the question, so that our window ends before the store's and never after it.
      Object.assign(window, { held: heldAt(window, now()) + granted, used, until: asked + reset_ms })
    })
  }

  return {
    takeRequest(caller) {
      if (caller.requests_per_minute === null) return undefined
      return take(caller, 'api', caller.requests_per_minute, 1)
    },
    takeNotifications(caller, wanted) {
      if (caller.notifications_per_day === null) return undefined
      return take(caller, 'notification', caller.notifications_per_day, wanted)
    },
    returnNotifications(caller, count) {
      if (count === 0) return
      const window = windowOf(caller, 'notification')
      if (window.until > now()) window.held += count
    },
  }
}

/** What is held is void when its window has ended, also while somebody was asking. */
function heldAt(window: Window, time: number): number {
  return window.until <= time ? 0 : window.held
}

export function overLimit({ limit, resetMs }: Allowance, unit: string): Refusal {
  const seconds = Math.max(1, Math.ceil(resetMs / 1000))
  return new Refusal(
    'rate_limited',
    `All ${limit} ${unit} are used up; the count starts anew in ${seconds} seconds.`,
    undefined,
    seconds,
  )
}
