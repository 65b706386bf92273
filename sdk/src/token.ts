/** The token of a person's browser: sent along with every call, and replaced when it has ended. */
import { CarillonPersonError, CarillonTokenError } from './errors.ts'

export interface TokenOptions {
  /** A user token, made by your backend with `userTokens.create`. Left out, `refreshToken` is asked for the first. */
  token?: string
  /**
   * Asks your backend for a new token when the one before has ended. A rejection means that nobody is signed in; a TypeError,
   * which is what fetch throws, that the backend cannot be reached just now.
   */
  refreshToken?: () => Promise<string>
}

type Fetch = typeof globalThis.fetch

export interface TokenHolder {
  /** Shows the token, and comes back once with a new one if that is refused. */
  fetch: Fetch
  /** The token that was shown last. */
  current(): string | undefined
}

export function holdToken(fetch: Fetch, { token, refreshToken }: TokenOptions): TokenHolder {
  let current = token
  let refreshing: Promise<string> | undefined

  /** Calls that are refused at the same time share one new token. */
  async function refresh(signal: AbortSignal | null | undefined): Promise<string> {
    refreshing ??= ask()
    const asked = refreshing
    try {
      return await untilAborted(asked, signal)
    } finally {
      // Also if it has not answered: whoever comes next asks again.
      if (refreshing === asked) refreshing = undefined
    }
  }

  async function ask(): Promise<string> {
    try {
      const given = await refreshToken!()
      if (!isSendable(given)) throw new Error('refreshToken gave something else.')
      current = given
      return given
    } catch (error) {
      throw error instanceof TypeError ? error : new CarillonTokenError(error)
    }
  }

  function call(
    input: Parameters<Fetch>[0],
    init: RequestInit | undefined,
    shown: string,
  ): Promise<Response> {
    const headers = new Headers(init?.headers)
    headers.set('authorization', `Bearer ${shown}`)
    // What a person does arrives even if they leave the page with it, as when they open what a row is about.
    const keepalive = init?.body != null
    return fetch(input, { ...init, headers, keepalive })
  }

  return {
    current: () => current,
    async fetch(input, init) {
      const shown = current ?? (await refresh(init?.signal))
      const answer = await call(input, init, shown)
      if (answer.status !== 401 || refreshToken === undefined) return answer
      await answer.body?.cancel()
      // Another call may have got a new one while this one was refused.
      const next = current !== undefined && current !== shown ? current : await refresh(init?.signal)
      if (personIn(next) !== personIn(shown)) throw new CarillonPersonError()
      return call(input, init, next)
    },
  }
}

/** What a header can carry. */
function isSendable(token: unknown): token is string {
  return typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)
}

/** Nobody waits longer for a token than for the answer that it is for. */
function untilAborted<T>(doing: Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
  if (!signal) return doing
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason)
    if (signal.aborted) giveUp()
    signal.addEventListener('abort', giveUp, { once: true })
    doing.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
  })
}

/** Whose it is, as one text; undefined if there is none or it has another form. Nothing proves it but the server. */
export function personIn(token: string | undefined): string | undefined {
  try {
    const [, claim = ''] = /^cut_([\w-]+)\./.exec(token ?? '') ?? []
    const { tenant_id, user_id } = JSON.parse(decodeBase64url(claim))
    return typeof user_id === 'string' ? `${tenant_id}/${user_id}` : undefined
  } catch {
    return undefined
  }
}

function decodeBase64url(text: string): string {
  const bytes = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return new TextDecoder().decode(Uint8Array.from(bytes, byte => byte.charCodeAt(0)))
}
