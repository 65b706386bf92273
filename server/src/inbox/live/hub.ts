/**
 * Everybody who watches an inbox live in this process. A hint makes it look at once; a poll is the truth. Either way one
 * statement asks for many: what changed since the version that each connection has seen.
 */
import { endedSessions } from '../../oversight/sessions/held-sessions.ts'
import type { Held } from '../../oversight/user-tokens/directory.ts'
import { Refusal } from '../../platform/calls/refusal.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { type Connection, createConnections, type NewConnection } from './connections.ts'
import { type Ending, endingEvent, HEARTBEAT, inboxEvent, opening } from './event-text.ts'
import { readHint } from './hints.ts'
import { selectNews } from './queries.ts'

export interface LiveHub {
  /** Begins to tell what happens. Refuses when there are too many connections, of the person or at all. */
  open(connection: NewConnection): void
  /** Forgets a connection that the client has left. */
  leave(connection: NewConnection): void
  /** Inboxes have changed; '' means that any may have. */
  hint(text: string): void
  /** Ends all connections and takes no more. */
  close(): void
  count(): number
}

export interface LiveOptions {
  pool: Pool
  /** Of the tokens, those that are worth nothing any more. */
  ended: (tokens: Held[]) => Promise<Map<Held, 'expired' | 'revoked'>>
  onError: (error: unknown) => void
  mostConnections?: number
  pollMs?: number
  heartbeatMs?: number
  now?: () => number
}

const MOST_CONNECTIONS = 10_000
const MOST_PER_PERSON = 10
const POLL_MS = 5000
const HEARTBEAT_MS = 20_000
const TICK_MS = 1000
/** How many are asked about in one statement. */
const PORTION = 500

export function createLiveHub(options: LiveOptions): LiveHub {
  const { pool, ended, onError, mostConnections = MOST_CONNECTIONS, pollMs = POLL_MS } = options
  const { heartbeatMs = HEARTBEAT_MS, now = Date.now } = options
  const connections = createConnections()
  /** Somebody said that there is news for these; the poll asks for the others when there is time. */
  const [hinted, polled] = [new Set<Connection>(), new Set<Connection>()]
  let isLooking = false
  let timers: NodeJS.Timeout[] = []
  let isClosed = false

  /** One look at a time; what is hinted at meanwhile is part of the next. */
  function look(asked: Iterable<Connection>, as = hinted): void {
    for (const connection of asked) as.add(connection)
    if (hinted.size + polled.size === 0 || isLooking) return
    isLooking = true
    void askForNews()
      .catch(onError)
      .finally(() => {
        isLooking = false
        look([])
      })
  }

  async function askForNews(): Promise<void> {
    const asked = [...(hinted.size > 0 ? hinted : polled)].slice(0, PORTION)
    for (const connection of asked) forget(connection)
    const { version, news } = await selectNews(pool, asked)
    const byPlace = new Map(news.map(({ place, ...rest }) => [place, rest]))
    asked.forEach((connection, place) => {
      const event = byPlace.get(place)
      connection.seen = version
      if (event === undefined || !connections.has(connection)) return
      connection.isNew = false
      write(connection, inboxEvent({ version, ...event }))
      if (connection.endsMs <= now()) endOfTime(connection)
    })
  }

  function forget(connection: Connection): void {
    hinted.delete(connection)
    polled.delete(connection)
  }

  function write(connection: Connection, text: string): void {
    connection.writtenMs = now()
    if (connection.write(text)) return
    // It reads too slowly to keep up; when it comes back it is told what it missed.
    connections.remove(connection)
    connection.end()
  }

  function end(connection: Connection, ending: Ending): void {
    if (!connections.has(connection)) return
    connections.remove(connection)
    connection.write(endingEvent(ending))
    connection.end()
  }

  function endOfTime(connection: Connection): void {
    const isExpired = connection.token !== undefined && connection.token.expiresMs <= now()
    end(connection, isExpired ? 'expired' : 'closing')
  }

  function tick(): void {
    const at = now()
    for (const connection of connections.all()) {
      if (connection.endsMs <= at && !connection.isNew) endOfTime(connection)
      else if (connection.writtenMs + heartbeatMs <= at) write(connection, HEARTBEAT)
    }
    stopWhenAlone()
  }

  async function endVoidTokens(): Promise<void> {
    const held = new Map([...connections.all()].flatMap(each => (each.token ? [[each.token, each]] : [])))
    const tokens = [...held.keys()]
    for (let from = 0; from < tokens.length; from += PORTION)
      for (const [token, ending] of await ended(tokens.slice(from, from + PORTION)))
        end(held.get(token)!, ending)
  }

  async function endSessions(): Promise<void> {
    const held = [...connections.all()].filter(each => each.session !== undefined)
    if (held.length === 0) return
    const over = await endedSessions(
      pool,
      held.map(each => each.session!),
    )
    for (const each of held) if (over.has(each.session!.id)) end(each, 'revoked')
  }

  function poll(): void {
    look(connections.all(), polled)
    void Promise.all([endVoidTokens(), endSessions()]).catch(onError)
  }

  function startTimers(): void {
    if (timers.length === 0)
      timers = [setInterval(tick, Math.min(TICK_MS, heartbeatMs)), setInterval(poll, pollMs)]
  }

  function stopWhenAlone(): void {
    if (connections.size > 0) return
    for (const timer of timers) clearInterval(timer)
    timers = []
  }

  function refuseTooMany({ tenantId, userId }: NewConnection): void {
    if (isClosed) throw new Refusal('unavailable', 'This process is stopping. Connect again.')
    if (connections.size >= mostConnections)
      throw new Refusal(
        'unavailable',
        'This process has as many live connections as it takes.',
        undefined,
        30,
      )
    if ([...connections.of(tenantId, userId)].length >= MOST_PER_PERSON) {
      const told = `One person may have ${MOST_PER_PERSON} live connections.`
      throw new Refusal('rate_limited', told, undefined, 60)
    }
  }

  return {
    open(opened) {
      refuseTooMany(opened)
      const connection = connections.add(opened, now())
      startTimers()
      write(connection, opening(Math.random))
      look([connection])
    },
    leave(connection) {
      connections.remove(connection)
      forget(connection as Connection)
      stopWhenAlone()
    },
    hint(text) {
      const hint = readHint(text)
      if (hint === undefined) look(connections.all())
      else if (hint.userIds === undefined) look(connections.ofTenant(hint.tenantId))
      else for (const userId of hint.userIds) look(connections.of(hint.tenantId, userId))
    },
    close() {
      isClosed = true
      for (const connection of connections.all()) end(connection, 'closing')
      stopWhenAlone()
    },
    count: () => connections.size,
  }
}
