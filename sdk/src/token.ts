/** The token of a person's browser: sent along with every call, and replaced when it has ended. */

export interface TokenOptions {
  /** A user token, made by your backend with `userTokens.create`. Left out, `refreshToken` is asked for the first. */
  token?: string
  /** Asks your backend for a new token when the one before has ended. */
  refreshToken?: () => Promise<string>
}

type Fetch = typeof globalThis.fetch

/** A fetch that shows the token, and comes back once with a new one if that is refused. */
export function fetchWithToken(fetch: Fetch, { token, refreshToken }: TokenOptions): Fetch {
  let current = token
  let refreshing: Promise<string> | undefined

  /** Calls that are refused at the same time share one new token. */
  function refresh(): Promise<string> {
    refreshing ??= refreshToken!()
      .then(fresh => {
        current = fresh
        return fresh
      })
      .finally(() => {
        refreshing = undefined
      })
    return refreshing
  }

  function call(
    input: Parameters<Fetch>[0],
    init: RequestInit | undefined,
    shown: string,
  ): Promise<Response> {
    const headers = new Headers(init?.headers)
    headers.set('authorization', `Bearer ${shown}`)
    return fetch(input, { ...init, headers })
  }

  return async (input, init) => {
    const shown = current ?? (await refresh())
    const answer = await call(input, init, shown)
    if (answer.status !== 401 || refreshToken === undefined) return answer
    await answer.body?.cancel()
    // Another call may have got a new one while this one was refused.
    return call(input, init, current !== undefined && current !== shown ? current : await refresh())
  }
}
