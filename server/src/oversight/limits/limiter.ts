/**
 * The limits of callers: requests per minute, notifications per day. They are exact across all processes, yet seldom
 * need a query: a process takes a hundredth of the limit from the store at a time and hands it out itself; requests that
 * arrive while it asks share the next question; and a caller over its limit is refused from memory until its window
 * ends. Whatever a process takes is counted, so the sum never exceeds the limit; at worst each process leaves a
 * hundredth of it unused.
 */

import type { Principal } from '../../platform/calls/principal.ts'
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
  /** Set for a person's browser, which is counted apart from the person's keys. */
  person?: object
}

/** Whose count a principal uses: its own, or that of the key it was created with. */
export function limitedCaller(principal: Principal): LimitedCaller {
  return principal.limited_as === undefined ? principal : { ...principal, ...principal.limited_as }
}

export interface Limiter {
  /** Without a limit: undefined, at once and without asking the store. */
  takeRequest(caller: LimitedCaller): Promise<Allowance> | undefined
  takeNotifications(caller: LimitedCaller, wanted: number): Promise<Allowance> | undefined
  /** Gives back what was taken but not used. */
  returnNotifications(caller: LimitedCaller, count: number): void
}

interface Window {
  caller: Caller
  type: LimitType
  /** Requests waiting for the store's answer; while there are any, what is held belongs to them. */
  waiting: number
  used: number
  /** Taken from the store, but not handed out yet. */
  held: number
  /** When the window ends by our own clock, in ms: never later than by the store's. */
  endsAtMs: number
}

interface Ask {
  window: Window
  limit: number
  wanted: number
}

const WINDOW_SECONDS: Record<LimitType, number> = { api: 60, notification: 86_400, person: 60 }
/** A process takes one part in this many at a time. */
const SHARES = 100
const MAX_WINDOWS = 10_000

export function createLimiter({ store, now }: { store: LimitStore; now: () => number }): Limiter {
  const windows = new Map<string, Window>()
  const batcher = createBatcher<Ask, Allowance>({ flush, maxBatch: 1000 })

  function windowOf(caller: Caller, type: LimitType): Window {
    const name = JSON.stringify([type, caller.tenant_id, caller.user_id, caller.user_id ?? caller.api_key_id])
    let window = windows.get(name)
    if (window === undefined) {
      if (windows.size >= MAX_WINDOWS) forgetEnded()
      const { tenant_id, user_id, api_key_id } = caller
      window = { caller: { tenant_id, user_id, api_key_id }, type, waiting: 0, used: 0, held: 0, endsAtMs: 0 }
      windows.set(name, window)
    }
    if (window.endsAtMs <= now()) Object.assign(window, { used: 0, held: 0 })
    return window
  }

  /** Forgetting a window too early only loses what it holds. */
  function forgetEnded(): void {
    for (const [name, window] of windows) if (window.endsAtMs <= now()) windows.delete(name)
    if (windows.size >= MAX_WINDOWS) windows.clear()
  }

  async function take(caller: Caller, type: LimitType, limit: number, wanted: number): Promise<Allowance> {
    const ask = { window: windowOf(caller, type), limit, wanted }
    const { window } = ask
    if (canAnswer(ask) && window.waiting === 0) return handOut(ask)
    window.waiting++
    return batcher.add(ask).finally(() => window.waiting--)
  }

  /** The store need not be asked: enough is held, or the limit is used up. */
  function canAnswer({ window, limit, wanted }: Ask): boolean {
    return window.endsAtMs > now() && (window.held >= wanted || window.used >= limit)
  }

  function handOut({ window, limit, wanted }: Ask): Allowance {
    const granted = Math.min(wanted, window.held)
    window.held -= granted
    const remaining = Math.max(0, limit - window.used) + window.held
    return { granted, limit, remaining, resetMs: Math.max(0, window.endsAtMs - now()) }
  }

  /**
   * Requests that arrived while an answer was on its way usually find enough in it. If the store were asked for them as
   * well, more would arrive in the meantime, and a busy caller would never stop asking.
   */
  async function flush(asks: Ask[]): Promise<Allowance[]> {
    const open = [...new Set(asks.map(ask => ask.window))]
      .map(window => sumOf(window, asks))
      .filter(sum => !canAnswer(sum))
    if (open.length > 0) await askStore(open)
    return asks.map(handOut)
  }

  function sumOf(window: Window, asks: Ask[]): Ask {
    const own = asks.filter(ask => ask.window === window)
    return { window, limit: own[0]!.limit, wanted: own.reduce((sum, ask) => sum + ask.wanted, 0) }
  }

  async function askStore(asks: Ask[]): Promise<void> {
    const askedMs = now()
    const answers = await store.countRequests(
      asks.map(({ window, limit, wanted }) => ({
        caller: window.caller,
        limit_type: window.type,
        window_seconds: WINDOW_SECONDS[window.type],
        limit,
        wanted: wanted - heldAt(window, askedMs) + Math.floor(limit / SHARES),
        known: { used: window.used, ms: Math.max(0, window.endsAtMs - askedMs) },
      })),
    )
    asks.forEach(({ window }, i) => {
      const { granted, used, reset_ms } = answers[i]!
      // Counted from before the question, so that our window ends before the store's, never after it.
      Object.assign(window, { held: heldAt(window, now()) + granted, used, endsAtMs: askedMs + reset_ms })
    })
  }

  return {
    takeRequest(caller) {
      if (caller.requests_per_minute === null) return undefined
      return take(caller, caller.person === undefined ? 'api' : 'person', caller.requests_per_minute, 1)
    },
    takeNotifications(caller, wanted) {
      if (caller.notifications_per_day === null) return undefined
      return take(caller, 'notification', caller.notifications_per_day, wanted)
    },
    returnNotifications(caller, count) {
      if (count === 0) return
      const window = windowOf(caller, 'notification')
      if (window.endsAtMs > now()) window.held += count
    },
  }
}

/** What is held expires with its window, which may end while the store is being asked. */
function heldAt(window: Window, timeMs: number): number {
  return window.endsAtMs <= timeMs ? 0 : window.held
}

export function overLimit({ limit, resetMs }: Allowance, unit: string): Refusal {
  const seconds = Math.max(1, Math.ceil(resetMs / 1000))
  return new Refusal(
    'rate_limited',
    `All ${limit} ${unit} are used up; the count restarts in ${seconds} seconds.`,
    undefined,
    seconds,
  )
}

export function storageFull(): Refusal {
  return new Refusal(
    'quota_exceeded',
    'The storage that the operator allows this tenant is used up: delete something, or keep records for fewer days.',
  )
}
