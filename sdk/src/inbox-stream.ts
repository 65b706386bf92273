/** The live stream of an inbox: comes back by itself, and goes on where it was. */
import type { InboxStreamEvent } from '@carillon/contract'
import { sleep as waitFor } from './deadline.ts'
import { connectionError, refusal } from './errors.ts'
import { createEventReader, type EventReader } from './event-stream.ts'
import { parseRetryAfter, waitBeforeRetry } from './retry.ts'

export interface StreamOptions {
  /** Ends the stream. */
  signal?: AbortSignal
  /** The version of an earlier answer: the first event tells what has changed since. */
  since?: string
  /** Called when a connection is open, and when one could not be opened or broke. */
  onConnection?: (isOpen: boolean) => void
}

export interface StreamParts {
  url: string
  fetch: typeof globalThis.fetch
  sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>
  random?: () => number
  now?: () => number
}

/** The server sends something every 20 seconds; after this long it is certainly gone. */
const SILENCE_MS = 50_000
const RETRY_MS = 2000

/** Ends when `signal` says so; throws when the server refuses for good, for instance because the token has ended. */
export function createInboxStream(parts: StreamParts) {
  const { url, fetch, sleep = waitFor, random = Math.random, now = Date.now } = parts

  return async function* stream({
    signal,
    since,
    onConnection,
  }: StreamOptions = {}): AsyncGenerator<InboxStreamEvent, void, undefined> {
    let seen = since
    for (let failures = 0; ; ) {
      const reader = createEventReader(seen)
      let waitMs: number
      try {
        for await (const event of connect(reader, signal, onConnection)) {
          failures = 0
          seen = reader.lastId
          yield event
        }
        waitMs = reader.retryMs ?? RETRY_MS
      } catch (error) {
        if (signal?.aborted) return
        const backoffMs = waitBeforeRetry(error, ++failures, random)
        if (backoffMs === undefined) throw error
        onConnection?.(false)
        waitMs = Math.max(backoffMs, reader.retryMs ?? 0)
      }
      if (signal?.aborted) return
      await sleep(waitMs, signal).catch(() => {})
      if (signal?.aborted) return
    }
  }

  /** One connection: until the server ends it, or nothing comes any more. */
  async function* connect(
    reader: EventReader,
    caller: AbortSignal | undefined,
    onConnection: StreamOptions['onConnection'],
  ): AsyncGenerator<InboxStreamEvent, void, undefined> {
    const ending = new AbortController()
    const end = () => ending.abort()
    caller?.addEventListener('abort', end, { once: true })
    let watch = setTimeout(end, SILENCE_MS)
    try {
      const response = await begin(reader.lastId, ending.signal)
      onConnection?.(true)
      for await (const piece of piecesOf(response)) {
        clearTimeout(watch)
        watch = setTimeout(end, SILENCE_MS)
        for (const { event, data } of reader.read(piece))
          if (event === 'inbox') yield JSON.parse(data) as InboxStreamEvent
      }
    } finally {
      clearTimeout(watch)
      caller?.removeEventListener('abort', end)
      end()
    }
  }

  async function begin(seen: string | undefined, signal: AbortSignal): Promise<Response> {
    const headers = { accept: 'text/event-stream', ...(seen !== undefined && { 'last-event-id': seen }) }
    const response = await fetch(`${url}/v1/inbox/stream`, { headers, signal }).catch(error => {
      throw connectionError(url, error)
    })
    if (response.ok) return response
    const { status } = response
    const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), now())
    throw refusal({ status, headers: response.headers, text: await response.text() }, retryAfterMs)
  }

  async function* piecesOf({ body }: Response): AsyncGenerator<string, void, undefined> {
    const decoder = new TextDecoder()
    // Not every browser can loop over a stream.
    const reader = body!.getReader()
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        yield decoder.decode(value, { stream: true })
      }
    } catch (error) {
      throw connectionError(url, error)
    }
  }
}
