/**
 * The circuit breaker of one provider: closed while it works, open after several failures in a row, half-open while a
 * single message probes whether it has recovered. The state is a database row that all processes share. Each process counts
 * failures on its own and writes to the row only when the state changes, so a healthy provider costs no query.
 */
import { performance } from 'node:perf_hooks'
import { type Client, type Pool, transaction } from '../../platform/database/pool.ts'
import { closeBreaker, openBreaker, reopenBreaker, returnProbe, takeProbe } from './breaker-queries.ts'

export interface BreakerOptions {
  pool: Pool
  providerId: string
  /** Failures in a row that open it. */
  threshold?: number
  coolDownMs?: number
  maxCoolDownMs?: number
  /** If a probe has not reported after this long, its process is taken for dead, and another message may probe. */
  probeTimeoutMs: number
  /** Both run in the transaction that changes the state. */
  onOpened: (tx: Client, error: string) => Promise<void>
  onClosed: (tx: Client) => Promise<void>
  /** For tests; this process's steady clock unless set: its wall clock may jump. */
  now?: () => number
}

export interface BreakerState {
  state: 'closed' | 'open' | 'half_open'
  /** How long it stays as it is, at least. Not until when: our clock need not be the database's. */
  waitMs: number
}

/** Allows one message to be sent. Exactly one of its methods is called, with what came of it. */
export interface Pass {
  succeeded(): Promise<void>
  failed(error: string): Promise<void>
  /** The message says nothing about the provider, perhaps because it was not sent. A probe may follow after `waitMs`. */
  inconclusive(waitMs?: number): Promise<void>
}

export interface Breaker {
  /** Takes over the state that was last read from the database. */
  refresh(state: BreakerState): void
  /** undefined while it is open. After the cool-down, one message at a time gets a pass: the probe. */
  admit(): Promise<Pass | undefined>
  /** How long messages have to wait, as far as this process knows; 0 if one would be admitted now. */
  waitMs(): number
}

const THRESHOLD = 5
const COOL_DOWN_MS = 5000
const MAX_COOL_DOWN_MS = 300_000
/** While another message is probing, its answer may come at any moment. */
const PROBE_WAIT_MS = 1000

export function createBreaker(options: BreakerOptions): Breaker {
  const { pool, providerId } = options
  const threshold = options.threshold ?? THRESHOLD
  const coolDownMs = options.coolDownMs ?? COOL_DOWN_MS
  const now = options.now ?? (() => performance.now())
  let state: BreakerState['state'] = 'closed'
  let retryAtMs = 0
  let failures = 0
  /** The time when the probe of this process counts as lost; 0 while there is none. */
  let probeLostAt = 0

  const become = (next: BreakerState['state'], waitMs: number): void => {
    state = next
    retryAtMs = now() + waitMs
  }
  const msUntilRetry = () => Math.max(0, retryAtMs - now())
  const isProbing = () => probeLostAt > now()

  async function close(): Promise<void> {
    failures = 0
    if (state === 'closed') return
    become('closed', 0)
    await transaction(pool, async tx => {
      if (await closeBreaker(tx, providerId)) await options.onClosed(tx)
    })
  }

  async function countFailure(error: string): Promise<void> {
    if (state !== 'closed' || ++failures < threshold) return
    become('open', coolDownMs)
    await transaction(pool, async tx => {
      if (await openBreaker(tx, providerId, error, coolDownMs)) await options.onOpened(tx, error)
    })
  }

  const ordinaryPass: Pass = { succeeded: close, failed: countFailure, inconclusive: async () => {} }

  function probePass(lostAt: Date): Pass {
    return {
      async succeeded() {
        probeLostAt = 0
        await close()
      },
      async failed(error) {
        probeLostAt = 0
        become('open', coolDownMs)
        await reopenBreaker(pool, providerId, lostAt, error, options.maxCoolDownMs ?? MAX_COOL_DOWN_MS)
      },
      async inconclusive(waitMs = 0) {
        probeLostAt = 0
        become('open', waitMs)
        await returnProbe(pool, providerId, lostAt, waitMs)
      },
    }
  }

  return {
    refresh(read) {
      if (read.state === 'closed' && state !== 'closed') failures = 0
      become(read.state, read.waitMs)
    },
    async admit() {
      if (state === 'closed') return ordinaryPass
      if (isProbing() || msUntilRetry() > 0) return undefined
      probeLostAt = now() + options.probeTimeoutMs
      const lostAt = await takeProbe(pool, providerId, options.probeTimeoutMs).catch(() => undefined)
      if (lostAt !== undefined) return probePass(lostAt)
      probeLostAt = 0
      return undefined
    },
    waitMs() {
      if (state === 'closed') return 0
      return isProbing() ? Math.max(PROBE_WAIT_MS, msUntilRetry()) : msUntilRetry()
    },
  }
}
