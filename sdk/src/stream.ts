/**
 * Answers too long to keep in memory: their text in pieces, as it arrives. Not repeated on failure, since the caller
 * already has the beginning.
 */
import { startDeadline } from './deadline.ts'
import { connectionError, refusal } from './errors.ts'
import { type CallOptions, pathAndQuery, writeRequest } from './http.ts'
import { type ClientOptions, checkOptions } from './options.ts'
import { parseRetryAfter } from './retry.ts'

export type Stream = (
  path: string,
  query: object,
  options?: CallOptions,
) => AsyncGenerator<string, void, undefined>

export function createStream(options: ClientOptions): Stream {
  const { url, apiKey, timeoutMs } = checkOptions(options)
  const fetch = options.fetch ?? ((...request) => globalThis.fetch(...request))
  const { now = Date.now } = options

  return async function* stream(path, query, { signal } = {}) {
    const call = { method: 'GET', path, query, headers: { accept: '*/*' } } as const
    const response = await begin(url + pathAndQuery(call), writeRequest(call, apiKey), signal)
    if (!response.ok) {
      const { status, headers } = response
      const retryAfterMs = parseRetryAfter(headers.get('retry-after'), now())
      throw refusal({ status, headers, text: await response.text() }, retryAfterMs)
    }
    const decoder = new TextDecoder()
    try {
      for await (const chunk of response.body ?? []) yield decoder.decode(chunk, { stream: true })
    } catch (thrown) {
      signal?.throwIfAborted()
      throw connectionError(url, thrown)
    }
    const rest = decoder.decode()
    if (rest !== '') yield rest
  }

  /** Only the beginning has to arrive in time; how long the rest takes depends on its length. */
  async function begin(address: string, request: RequestInit, signal?: AbortSignal): Promise<Response> {
    signal?.throwIfAborted()
    const deadline = startDeadline(timeoutMs, signal)
    try {
      return await fetch(address, { ...request, signal: deadline.signal })
    } catch (thrown) {
      signal?.throwIfAborted()
      throw connectionError(url, thrown, deadline.hasPassed() ? timeoutMs : undefined)
    } finally {
      deadline.clear()
    }
  }
}
