/**
 * NOTIFY between processes. It is only a hint: losing one costs a poll interval. It is sent outside the writing
 * transaction and at most every 20 ms, because NOTIFY holds a global lock through commit (measured: 0.26 of the rate).
 */
import { createClient, type Pool } from './pool.ts'

/** Something may be due, wherever it is worked on. */
export const DUE = 'carillon_due'
/** Somebody's reply is there; the payload says whose. */
export const REPLIED = 'carillon_replied'
/** Somebody's inbox has changed; the payload says whose. */
export const INBOX = 'carillon_inbox'
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
        pool.query(`notify ${DUE}`).catch(() => {})
      }, HINT_INTERVAL_MS).unref()
    },
  }
}

/** For hints that say what they are about: those that gather while a statement runs are sent with the next one. */
export function createPayloadHinter(pool: Pool, channel: string): (payload: string) => void {
  let gathered: string[] = []
  let isSending = false

  async function send(): Promise<void> {
    isSending = true
    while (gathered.length > 0) {
      const payloads = gathered
      gathered = []
      const text = 'select pg_notify($1, payload) from unnest($2::text[]) payload'
      await pool.query(text, [channel, payloads]).catch(() => {})
    }
    isSending = false
  }

  return payload => {
    gathered.push(payload)
    if (!isSending) void send()
  }
}

/** By channel, what to do on a hint. The payload is '' after connecting, since hints may have been missed before. */
export type Listened = Record<string, (payload: string) => unknown>

export interface Listener {
  stop(): Promise<void>
}

/** Calls back on every hint; one connection for all channels, which reconnects by itself. */
export function createListener(url: string, listened: Listened): Listener {
  const channels = Object.keys(listened)
  let client: ReturnType<typeof createClient> | undefined
  let stopped = false
  let timer: NodeJS.Timeout | undefined

  async function connect(): Promise<void> {
    const next = createClient(url)
    client = next
    next.on('notification', ({ channel, payload }) => listened[channel]?.(payload ?? ''))
    next.on('error', () => reconnect(next))
    next.on('end', () => reconnect(next))
    try {
      await next.connect()
      await next.query(channels.map(channel => `listen ${channel}`).join('; '))
      for (const onHint of Object.values(listened)) onHint('')
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

  if (channels.length > 0) void connect()
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await client?.end().catch(() => {})
    },
  }
}
