/** Elements of a page that show the same inbox share one, and with it one connection. */
import { createInbox } from '../client/inbox.ts'
import type { Inbox } from '../client/inbox-api.ts'

export interface Source {
  url: string
  token: string | undefined
  tokenUrl: string | undefined
  refreshToken: (() => Promise<string>) | undefined
}

export interface Lease {
  readonly inbox: Inbox
  /** What is asked for the next token; pages that render anew bring a new function each time. */
  use(refreshToken: (() => Promise<string>) | undefined): void
  release(): void
}

interface Shared {
  inbox: Inbox
  refreshToken: (() => Promise<string>) | undefined
  leases: number
  ending: ReturnType<typeof setTimeout> | undefined
}

/** An element that is moved leaves the page for a moment. */
const GRACE_MS = 1_000

const shared = new Map<string, Shared>()
const names = new WeakMap<object, number>()
let nextName = 1

/** Undefined as long as nothing says whose inbox it is. */
export function leaseInbox(source: Source): Lease | undefined {
  if (source.token === undefined && !canRefresh(source)) return undefined
  const key = keyOf(source)
  const entry = shared.get(key) ?? open(source)
  shared.set(key, entry)
  clearTimeout(entry.ending)
  entry.leases++
  return {
    inbox: entry.inbox,
    use(refreshToken) {
      entry.refreshToken = refreshToken ?? entry.refreshToken
    },
    release() {
      if (--entry.leases > 0) return
      entry.ending = setTimeout(() => {
        if (shared.get(key) === entry) shared.delete(key)
        entry.inbox.stop()
      }, GRACE_MS)
    },
  }
}

/** Whoever comes next gets a new one, for instance because another person has signed in. */
export function forgetInbox(source: Source): void {
  shared.delete(keyOf(source))
}

export const canRefresh = ({ tokenUrl, refreshToken }: Source): boolean =>
  tokenUrl !== undefined || refreshToken !== undefined

function open(source: Source): Shared {
  const { url, token, tokenUrl, refreshToken } = source
  const refresh = () => entry.refreshToken?.() ?? askBackend(tokenUrl!)
  const inbox = createInbox({
    url,
    ...(token !== undefined && { token }),
    ...(canRefresh(source) && { refreshToken: refresh }),
  })
  const entry: Shared = { inbox, refreshToken, leases: 0, ending: undefined }
  return entry
}

function keyOf({ url, token, tokenUrl, refreshToken }: Source): string {
  return JSON.stringify([url, token, tokenUrl, refreshToken && nameOf(refreshToken)])
}

function nameOf(refreshToken: object): number {
  const name = names.get(refreshToken) ?? nextName++
  names.set(refreshToken, name)
  return name
}

async function askBackend(url: string): Promise<string> {
  const answer = await fetch(url, { method: 'POST', credentials: 'same-origin' })
  // A backend that is down for a moment is as if it had not answered, for which fetch has a TypeError.
  const Failure = answer.status >= 500 ? TypeError : Error
  if (!answer.ok) throw new Failure(`${url} answered ${answer.status} instead of a token.`)
  return ((await answer.json()) as { token: string } | null)?.token ?? ''
}
