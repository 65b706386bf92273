/**
 * NOTIFY between processes. It is only a hint: losing one costs a poll interval. It is sent outside the writing
 * transaction and at most every 20 ms, because NOTIFY holds a global lock through commit (measured: 0.26 of the rate).
 */
import { createClient, type Pool } from './pool.ts'

const CHANNEL = 'carillon_due'
const HINT_INTERVAL_MS = 20
const RECONNECT_DELAY_MS = 1000

export interface Hinter {
  hint(): void
}

export function createHinter(pool: Pool): Hinter {
  let scheduled = false
  return {
    hint() {
      if (scheduled) return
      scheduled = true
      setTimeout(() => {
        scheduled = false
        // The poll finds the work anyway.
        pool.query(`notify ${CHANNEL}`).catch(() => {})
      }, HINT_INTERVAL_MS).unref()
    },
  }
}

export interface Listener {
  stop(): Promise<void>
}

/** Calls back on every hint; reconnects by itself. */
export function createListener(url: string, onHint: () => void): Listener {
  let client: ReturnType<typeof createClient> | undefined
  let stopped = false
  let timer: NodeJS.Timeout | undefined

  async function connect(): Promise<void> {
    const next = createClient(url)
    client = next
    next.on('notification', onHint)
    next.on('error', () => reconnect(next))
    next.on('end', () => reconnect(next))
    try {
      await next.connect()
      await next.query(`listen ${CHANNEL}`)
      onHint()
    } catch {
      reconnect(next)
    }
  }

  function reconnect(lost: ReturnType<typeof createClient>): void {
    if (stopped || client !== lost) return
    client = undefined
    lost.end().catch(() => {})
    timer = setTimeout(() => void connect(), RECONNECT_DELAY_MS)
  }

  void connect()
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await client?.end().catch(() => {})
    },
  }
}
