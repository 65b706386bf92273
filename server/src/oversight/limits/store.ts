/** Where limits are counted. A store grants what fits and counts it in one step, for all processes together. */

export const LIMIT_TYPES = ['api', 'notification'] as const
export type LimitType = (typeof LIMIT_TYPES)[number]

/** Who uses up a limit: the user of a key, or the key itself when it has none. */
export interface Caller {
  tenant_id: string
  user_id: string | null
  api_key_id: string
}

/** What the asker last heard of a window. A store that has forgotten it goes on from there. */
export interface Known {
  used: number
  /** How long the window still lasts; 0 = nothing is known. */
  ms: number
}

/** Windows of a caller's limit lie side by side: every minute, every day. */
export interface RequestAsk {
  caller: Caller
  limit_type: LimitType
  window_seconds: number
  limit: number
  wanted: number
  known: Known
}

/** The window of a key starts with its first try. */
export interface TryAsk {
  tenant_id: string
  key_hash: string
  window_seconds: number
  limit: number
  known: Known
}

export interface Counted {
  granted: number
  /** In this window by everybody, the granted included. */
  used: number
  /** Until the window ends. */
  reset_ms: number
}

export interface LimitStore {
  countRequests(asks: RequestAsk[]): Promise<Counted[]>
  countTry(ask: TryAsk): Promise<Counted>
}
