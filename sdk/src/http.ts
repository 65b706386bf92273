/** One HTTP call: writes the request, reads the answer, repeats it when that is safe. */
import { startDeadline, sleep as waitFor } from './deadline.ts'
import { type Answer, connectionError, missingKey, refusal } from './errors.ts'
import type { ClientOptions } from './options.ts'
import { checkOptions } from './options.ts'
import { parseRetryAfter, waitBeforeRetry } from './retry.ts'

export interface CallOptions {
  /** Aborts the call, even between two tries; it then rejects with the signal's reason. */
  signal?: AbortSignal
}

interface Call extends CallOptions {
  method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  query?: object
  body?: unknown
  headers?: { [name: string]: string | undefined }
  /** Doing it twice has the same effect as doing it once. Default: true for GET, PUT and DELETE. */
  repeatable?: boolean
  /** Whether the call makes sense without a key. Default: false. */
  keyless?: boolean
  /** How long the answer may take, if that is longer than the client waits for others. */
  atLeastMs?: number
  /** Replaces the usual reading of an answer: 2xx with JSON, or else a refusal. */
  read?: (answer: Answer) => unknown
}

export type Send = <T>(call: Call) => Promise<T>

export function createSender(options: ClientOptions): Send {
  const { url, apiKey, timeoutMs, retries } = checkOptions(options)
  // Looked up at each call: a browser's fetch refuses to be called without its window.
  const fetch = options.fetch ?? ((...request) => globalThis.fetch(...request))
  const { sleep = waitFor, random = Math.random, now = Date.now } = options

  return async function send<T>(call: Call): Promise<T> {
    const request = writeRequest(call, apiKey)
    const tries = isRepeatable(call) ? retries + 1 : 1
    for (let attempt = 1; ; attempt++) {
      try {
        const answer = await exchange(url + pathAndQuery(call), request, call)
        // A DELETE repeated because its answer was lost gets a 404: it did its work the first time.
        if (attempt > 1 && call.method === 'DELETE' && answer.status === 404) return undefined as T
        return (call.read?.(answer) ?? readAnswer(answer, now())) as T
      } catch (error) {
        const waitMs = attempt < tries ? waitBeforeRetry(error, attempt, random) : undefined
        if (waitMs === undefined) throw error
        await sleep(waitMs, call.signal)
      }
    }
  }

  async function exchange(address: string, request: RequestInit, call: Call): Promise<Answer> {
    const { signal, atLeastMs = 0 } = call
    const waitMs = Math.max(timeoutMs, atLeastMs)
    signal?.throwIfAborted()
    const deadline = startDeadline(waitMs, signal)
    try {
      const response = await fetch(address, { ...request, signal: deadline.signal })
      return { status: response.status, headers: response.headers, text: await response.text() }
    } catch (thrown) {
      signal?.throwIfAborted()
      throw connectionError(url, thrown, deadline.hasPassed() ? waitMs : undefined)
    } finally {
      deadline.clear()
    }
  }
}

function readAnswer(answer: Answer, now: number): unknown {
  if (answer.status < 200 || answer.status > 299) {
    throw refusal(answer, parseRetryAfter(answer.headers.get('retry-after'), now))
  }
  return answer.text === '' ? undefined : readJson(answer)
}

export function readJson(answer: Answer): unknown {
  try {
    return JSON.parse(answer.text)
  } catch {
    throw refusal(answer, undefined)
  }
}

/** Redirects are not followed: a POST would arrive as a GET, and a key could go where it does not belong. */
export function writeRequest(call: Call, apiKey: string | undefined): RequestInit {
  if (apiKey === undefined && call.keyless !== true) throw missingKey()
  const headers = new Headers({ accept: 'application/json' })
  if (apiKey !== undefined) headers.set('authorization', `Bearer ${apiKey}`)
  if (call.body !== undefined) headers.set('content-type', 'application/json')
  for (const [name, value] of Object.entries(call.headers ?? {})) {
    if (value !== undefined) headers.set(name, value)
  }
  const body = call.body === undefined ? undefined : JSON.stringify(call.body)
  return { method: call.method, headers, redirect: 'manual', ...(body === undefined ? {} : { body }) }
}

export function pathAndQuery({ path, query = {} }: Call): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value].flat())
      if (each !== undefined && each !== null) search.append(name, String(each))
  }
  return search.size === 0 ? path : `${path}?${search}`
}

function isRepeatable({ method, repeatable }: Call): boolean {
  return repeatable ?? (method === 'GET' || method === 'PUT' || method === 'DELETE')
}
