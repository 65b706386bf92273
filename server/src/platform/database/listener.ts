/**
 * NOTIFY between processes, only ever a hint: losing one costs a poll interval. Sent from outside the writing
 * transaction and at most every 20 ms, because NOTIFY holds a global lock through commit (measured: 0.26 of the rate).
 */
import { createClient, type Pool } from './pool.ts'

const CHANNEL = 'carillon_due'
const QUIET_MS = 20

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
      }, QUIET_MS).unref()
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
    timer = setTimeout(() => void connect(), 1000)
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
