/** The open connections of this process, by tenant and person. */

import type { HeldSession } from '../../oversight/sessions/held-sessions.ts'
import type { Held } from '../../oversight/user-tokens/directory.ts'
import type { Watcher } from './queries.ts'

export interface NewConnection extends Pick<Watcher, 'tenantId' | 'userId' | 'seen'> {
  /** Looked at again while it is in use; undefined for a connection by API key. */
  token: Held | undefined
  /** Likewise, for somebody who is signed in to the dashboard. */
  session?: HeldSession | undefined
  /** When it ends at the latest, in ms since 1970. */
  endsMs: number
  /** False if the client does not read what it is sent. */
  write(text: string): boolean
  end(): void
}

export interface Connection extends NewConnection, Watcher {
  writtenMs: number
}

type Some = ReadonlySet<Connection>

export interface Connections {
  readonly size: number
  add(connection: NewConnection, nowMs: number): Connection
  remove(connection: NewConnection): void
  has(connection: NewConnection): boolean
  all(): Some
  ofTenant(tenantId: string): Some
  of(tenantId: string, userId: string): Some
}

const NONE: Some = new Set()

export function createConnections(): Connections {
  const all = new Set<Connection>()
  const byTenant = new Map<string, Set<Connection>>()
  const byPerson = new Map<string, Set<Connection>>()

  return {
    get size() {
      return all.size
    },
    add(opened, nowMs) {
      const connection: Connection = Object.assign(opened, { isNew: true, writtenMs: nowMs })
      all.add(connection)
      put(byTenant, opened.tenantId, connection)
      put(byPerson, nameOf(opened.tenantId, opened.userId), connection)
      return connection
    },
    remove(opened) {
      const connection = opened as Connection
      if (!all.delete(connection)) return
      take(byTenant, opened.tenantId, connection)
      take(byPerson, nameOf(opened.tenantId, opened.userId), connection)
    },
    has: connection => all.has(connection as Connection),
    all: () => all,
    ofTenant: tenantId => byTenant.get(tenantId) ?? NONE,
    of: (tenantId, userId) => byPerson.get(nameOf(tenantId, userId)) ?? NONE,
  }
}

const nameOf = (tenantId: string, userId: string) => `${tenantId} ${userId}`

function put(sets: Map<string, Set<Connection>>, key: string, connection: Connection): void {
  const set = sets.get(key)
  if (set === undefined) sets.set(key, new Set([connection]))
  else set.add(connection)
}

function take(sets: Map<string, Set<Connection>>, key: string, connection: Connection): void {
  const set = sets.get(key)
  set?.delete(connection)
  if (set?.size === 0) sets.delete(key)
}
