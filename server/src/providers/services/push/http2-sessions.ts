/** Open HTTP/2 sessions, one per origin and key, each carrying many requests at once. */
import { lookup } from 'node:dns'
import { type ClientHttp2Session, connect } from 'node:http2'
import type { AddressGuard } from '../../../platform/outgoing/address-guard.ts'
import { guardedLookup, type Resolve } from '../../../platform/outgoing/connector.ts'

export interface SessionOptions {
  guard: AddressGuard
  connectTimeoutMs?: number
  tls?: { ca?: string | Buffer }
  /** A session that was idle for longer is checked with a ping before it is used. */
  pingAfterIdleMs?: number
  /** Replaced by tests, which resolve names themselves. */
  resolve?: Resolve
}

export interface Http2Sessions {
  /** The session for this origin and key, opened if there is none. */
  get(origin: string, key: string): Promise<ClientHttp2Session>
  /** Sends no new requests on this session; those in progress may finish. */
  retire(session: ClientHttp2Session): void
  close(): Promise<void>
}

interface Entry {
  session: ClientHttp2Session
  ready: Promise<ClientHttp2Session>
  lastUsedMs: number
}

const CLOSE_AFTER_IDLE_MS = 30 * 60_000
const PING_TIMEOUT_MS = 2000
const PING_AFTER_IDLE_MS = 60_000
const CONNECT_TIMEOUT_MS = 10_000

export function createHttp2Sessions(options: SessionOptions): Http2Sessions {
  const current = new Map<string, Entry>()
  const alive = new Set<ClientHttp2Session>()
  let closed: Promise<void> | undefined

  function open(origin: string, name: string): Entry {
    const session = connect(origin, {
      ...options.tls,
      lookup: guardedLookup(options.guard, options.resolve ?? lookup),
    })
    const ready = connected(session, options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS)
    const entry = { session, ready, lastUsedMs: 0 }
    alive.add(session)
    current.set(name, entry)
    // After a GOAWAY, requests in progress are still answered, but the next one needs another session.
    session.once('goaway', () => forget(session))
    session.once('close', () => {
      alive.delete(session)
      forget(session)
    })
    return entry
  }

  /** A firewall may have dropped an idle connection silently; the ping shows it before a message is sent on it. */
  async function pinged(entry: Entry, origin: string, name: string): Promise<ClientHttp2Session> {
    if (await answersPing(entry.session)) return entry.session
    entry.session.destroy()
    forget(entry.session)
    return (current.get(name) ?? open(origin, name)).ready
  }

  function forget(session: ClientHttp2Session): void {
    for (const [name, entry] of current) if (entry.session === session) current.delete(name)
  }

  return {
    get(origin, key) {
      if (closed !== undefined) return Promise.reject(new Error('the client is closed'))
      const name = `${key} ${origin}`
      const entry = current.get(name) ?? open(origin, name)
      const idleMs = entry.lastUsedMs > 0 ? performance.now() - entry.lastUsedMs : 0
      entry.lastUsedMs = performance.now()
      if (idleMs > (options.pingAfterIdleMs ?? PING_AFTER_IDLE_MS)) entry.ready = pinged(entry, origin, name)
      return entry.ready
    },
    retire(session) {
      forget(session)
      session.close()
    },
    close() {
      closed ??= Promise.all([...alive].map(end)).then(() => {})
      return closed
    },
  }
}

function connected(session: ClientHttp2Session, timeoutMs: number): Promise<ClientHttp2Session> {
  return new Promise((resolve, reject) => {
    const expire = () => session.destroy(new Error(`no connection within ${timeoutMs} ms`))
    const timer = setTimeout(expire, timeoutMs)
    session.once('connect', () => {
      clearTimeout(timer)
      session.setTimeout(CLOSE_AFTER_IDLE_MS, () => session.close())
      resolve(session)
    })
    session.on('error', reject)
    session.once('close', () => {
      clearTimeout(timer)
      reject(new Error('the connection was closed'))
    })
  })
}

function answersPing(session: ClientHttp2Session): Promise<boolean> {
  return new Promise(resolve => {
    setTimeout(() => resolve(false), PING_TIMEOUT_MS).unref()
    if (session.closed || session.destroyed) resolve(false)
    else session.ping(error => resolve(error === null))
  })
}

function end(session: ClientHttp2Session): Promise<void> {
  return new Promise(resolve => {
    session.once('close', () => resolve())
    session.destroy(new Error('the client was closed'))
  })
}
