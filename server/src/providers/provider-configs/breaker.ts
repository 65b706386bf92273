/**
 * The circuit breaker of one provider: closed, open after a row of failures, half-open while one probe is under way.
 * The state is a database row shared by all processes; each process counts for itself and asks the row only when
 * something changes, so a healthy provider costs nothing.
 */
import type { Pool } from '../../platform/database/pool.ts'
import { closeBreaker, openBreaker, reopenBreaker, takeProbe } from './queries.ts'

export interface BreakerOptions {
  pool: Pool
  providerId: string
  /** Failures in a row that open it. */
  threshold?: number
  coolDownMs?: number
  longestCoolDownMs?: number
  /** A probe that has not reported after this long is given up. */
  probeMs: number
  onOpened: (error: string) => Promise<void>
  onClosed: () => Promise<void>
}

export interface BreakerView {
  state: 'closed' | 'open' | 'half_open'
  retryAt: Date | null
}

export interface Breaker {
  /** What the database said last. */
  see(view: BreakerView): void
  /** May the provider be asked? While open, one caller at a time may, as a probe, once the cool-down is over. */
  admits(): Promise<boolean>
  succeeded(): Promise<void>
  failed(error: string): Promise<void>
  /** While it does not admit: how long that lasts at least. */
  waitMs(): number
}

const THRESHOLD = 5
const COOL_DOWN_MS = 5000
const LONGEST_COOL_DOWN_MS = 300_000

export function createBreaker(options: BreakerOptions): Breaker {
  const { pool, providerId } = options
  const threshold = options.threshold ?? THRESHOLD
  const coolDownMs = options.coolDownMs ?? COOL_DOWN_MS
  let view: BreakerView = { state: 'closed', retryAt: null }
  let failures = 0
  let isProbing = false

  const msUntilRetry = () => Math.max(0, (view.retryAt?.getTime() ?? 0) - Date.now())

  return {
    see(next) {
      if (next.state === 'closed' && view.state !== 'closed') failures = 0
      view = next
    },
    async admits() {
      if (view.state === 'closed') return true
      if (isProbing || msUntilRetry() > 0) return false
      isProbing = true
      const mayProbe = await takeProbe(pool, providerId, options.probeMs).catch(() => false)
      if (!mayProbe) isProbing = false
      return mayProbe
    },
    async succeeded() {
      failures = 0
      if (view.state === 'closed') return
      isProbing = false
      view = { state: 'closed', retryAt: null }
      if (await closeBreaker(pool, providerId)) await options.onClosed()
    },
    async failed(error) {
      if (isProbing) {
        isProbing = false
        await reopenBreaker(pool, providerId, error, options.longestCoolDownMs ?? LONGEST_COOL_DOWN_MS)
        view = { state: 'open', retryAt: new Date(Date.now() + coolDownMs) }
        return
      }
      if (view.state !== 'closed' || ++failures < threshold) return
      view = { state: 'open', retryAt: new Date(Date.now() + coolDownMs) }
      if (await openBreaker(pool, providerId, error, coolDownMs)) await options.onOpened(error)
    },
    waitMs: () => Math.max(1000, msUntilRetry()),
  }
}
