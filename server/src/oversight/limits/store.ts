/** Where limits are counted. A store grants what fits and counts it in one step, for all processes together. */

export const LIMIT_TYPES = ['api', 'notification', 'person'] as const
export type LimitType = (typeof LIMIT_TYPES)[number]

/** Whose limit is used: that of the key's user, of the key itself when it has none, or of the whole tenant (neither). */
export interface Caller {
  tenant_id: string
  user_id: string | null
  api_key_id: string | null
}

/** What the asker last heard about a window. A store that has lost the window continues from there. */
export interface Known {
  used: number
  /** How long the window still lasts; 0: nothing is known. */
  ms: number
}

/** The windows of a caller's limit are aligned to the clock: every minute, every day. */
export interface RequestAsk {
  caller: Caller
  limit_type: LimitType
  window_seconds: number
  limit: number
  wanted: number
  known: Known
}

/** A key's window starts with its first try. */
export interface TryAsk {
  tenant_id: string
  key_hash: string
  window_seconds: number
  limit: number
  known: Known
}

export interface Counted {
  granted: number
  /** Used in this window by all processes, including what was just granted. */
  used: number
  /** Time until the window ends. */
  reset_ms: number
}

export interface LimitStore {
  countRequests(asks: RequestAsk[]): Promise<Counted[]>
  countTry(ask: TryAsk): Promise<Counted>
}
