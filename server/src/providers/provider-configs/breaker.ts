/**
 * The circuit breaker of one provider: closed, open after a row of failures, half-open while one probe is under way.
 * The state is a database row shared by all processes; each process counts for itself and asks the row only when
 * something changes, so a healthy provider costs nothing.
 */
import { performance } from 'node:perf_hooks'
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
  /** How long it stays as it is, at least. Not until when: our clock need not be the database's. */
  waitMs: number
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
  let state: BreakerView['state'] = 'closed'
  let retryMs = 0
  let failures = 0
  /** The end of the probe under way. It may never report, if the message is held back for another reason. */
  let probingUntilMs = 0

  const view = (next: BreakerView) => {
    state = next.state
    retryMs = performance.now() + next.waitMs
  }
  const isProbing = () => performance.now() < probingUntilMs
  const msUntilRetry = () => Math.max(0, retryMs - performance.now())

  return {
    see(next) {
      if (next.state === 'closed' && state !== 'closed') failures = 0
      view(next)
    },
    async admits() {
      if (state === 'closed') return true
      if (isProbing() || msUntilRetry() > 0) return false
      probingUntilMs = performance.now() + options.probeMs
      const mayProbe = await takeProbe(pool, providerId, options.probeMs).catch(() => false)
      if (!mayProbe) probingUntilMs = 0
      return mayProbe
    },
    async succeeded() {
      failures = 0
      if (state === 'closed') return
      probingUntilMs = 0
      view({ state: 'closed', waitMs: 0 })
      if (await closeBreaker(pool, providerId)) await options.onClosed()
    },
    async failed(error) {
      if (isProbing()) {
        probingUntilMs = 0
        await reopenBreaker(pool, providerId, error, options.longestCoolDownMs ?? LONGEST_COOL_DOWN_MS)
        view({ state: 'open', waitMs: coolDownMs })
        return
      }
      if (state !== 'closed' || ++failures < threshold) return
      view({ state: 'open', waitMs: coolDownMs })
      if (await openBreaker(pool, providerId, error, coolDownMs)) await options.onOpened(error)
    },
    waitMs: () => Math.max(1000, msUntilRetry()),
  }
}
