/**
 * All HTTP that Carillon sends: pooled connections, one timeout per call, no redirects, answers cut off at a maximum
 * size, and no call to an address the guard refuses.
 */
import { Readable } from 'node:stream'
import { Agent, type Dispatcher, request } from 'undici'
import { decodeStart } from '../text/cut.ts'
import type { AddressGuard } from './address-guard.ts'
import { type BuildConnect, createConnector, RefusedAddress, type Resolve } from './connector.ts'
import { startDeadline } from './deadline.ts'
import { isOwnShortage } from './own-shortage.ts'
import { isTlsFailure } from './tls-failure.ts'

export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string | URL
  headers?: Record<string, string>
  body?: string | Buffer
  /** Over HTTP/2, only requests with the same value share a connection: Apple ties a connection to a team. */
  connectionKey?: string
}

export interface HttpAnswer {
  status: number
  headers: Record<string, string>
  /** The beginning of the body, as text. */
  body: string
  /** Why there is no more of the body, if it broke off before its end. */
  brokenOff?: string
}

export interface SendOptions {
  signal: AbortSignal
  timeoutMs: number
  /** Longer answers are cut off here; 32 KiB by default. */
  maxAnswerBytes?: number
}

export interface HttpClient {
  /** Throws an HttpFailure when there is no answer, and another error when the request itself is malformed. */
  send(request: HttpRequest, options: SendOptions): Promise<HttpAnswer>
  close(): Promise<void>
}

/**
 * Why there is no answer: `refused`: the guard does not allow the address; `unsent`: nothing left this process; `tls`:
 * the peer cannot be trusted; `uncertain`: the request left, and the receiver may have acted on it.
 */
export class HttpFailure extends Error {
  readonly stage: 'refused' | 'unsent' | 'tls' | 'uncertain'
  /** It says nothing about the server: we could not even call it. */
  readonly isOwn: boolean

  constructor(stage: HttpFailure['stage'], message: string, isOwn = false) {
    super(message)
    this.name = 'HttpFailure'
    this.stage = stage
    this.isOwn = isOwn
  }
}

export interface HttpClientOptions {
  guard: AddressGuard
  connectTimeoutMs?: number
  tls?: { ca?: string | Buffer }
  resolve?: Resolve
  connect?: BuildConnect
}

/** No service needs more than this to say what it did. */
export const MAX_ANSWER_BYTES = 32 * 1024

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const agent = new Agent({
    // No bound per origin: what tenants call at once is bounded and shared by the queues' lanes, and here calls of one
    // tenant that hang would keep the others from a service they share.
    connections: null,
    connect: createConnector({
      guard: options.guard,
      timeoutMs: options.connectTimeoutMs ?? 10_000,
      ...(options.resolve && { resolve: options.resolve }),
      ...(options.connect && { connect: options.connect }),
      ...(options.tls && { tls: options.tls }),
    }),
  })
  let closed: Promise<void> | undefined

  return {
    async send(
      { method, url, headers = {}, body },
      { signal, timeoutMs, maxAnswerBytes = MAX_ANSWER_BYTES },
    ) {
      const target = new URL(url)
      const objection = options.guard.objectsTo(target)
      if (objection !== undefined) throw new HttpFailure('refused', objection)
      if (signal.aborted) throw new HttpFailure('unsent', 'the attempt was aborted before it began')
      const deadline = startDeadline(signal, timeoutMs)
      const departure = { left: false }
      // A POST without a body gets an empty one: only a body shows when the request leaves.
      const bytes = method === 'GET' && body === undefined ? undefined : Buffer.from(body ?? '')
      try {
        const response = await deadline.race(
          request(target, {
            method,
            dispatcher: agent,
            signal: deadline.signal,
            headersTimeout: timeoutMs,
            bodyTimeout: timeoutMs,
            headers: {
              // Several services refuse callers that do not say who they are.
              'user-agent': 'Carillon',
              ...headers,
              ...(bytes && { 'content-length': String(bytes.byteLength) }),
            },
            ...(bytes && { body: Readable.from(noteDeparture(bytes, departure)) }),
          }),
        )
        return await readAnswer(response, maxAnswerBytes)
      } catch (error) {
        throw toFailure(error as NodeJS.ErrnoException, departure.left && method !== 'GET')
      } finally {
        deadline.clear()
      }
    },
    close() {
      closed ??= agent.destroy()
      return closed
    },
  }
}

/** Undici asks for the body when it has a connection and is about to write: before that, nothing has left. */
async function* noteDeparture(body: Buffer, departure: { left: boolean }) {
  departure.left = true
  yield body
}

/** The status has already decided the outcome, so a body that is too long or breaks off is simply cut. */
async function readAnswer(response: Dispatcher.ResponseData, maxBytes: number): Promise<HttpAnswer> {
  const chunks: Buffer[] = []
  let length = 0
  let brokenOff: string | undefined
  try {
    for await (const chunk of response.body) {
      chunks.push(chunk)
      length += chunk.length
      if (length >= maxBytes) break
    }
  } catch (error) {
    brokenOff = (error as Error).message
  }
  return {
    status: response.statusCode,
    headers: Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [
        name,
        Array.isArray(value) ? (value[0] ?? '') : (value ?? ''),
      ]),
    ),
    body: decodeStart(Buffer.concat(chunks), maxBytes),
    ...(brokenOff !== undefined && { brokenOff }),
  }
}

/** Headers and the like that HTTP does not allow: a later attempt would fail the same way. */
const MALFORMED = new Set(['UND_ERR_INVALID_ARG', 'ERR_INVALID_CHAR', 'ERR_INVALID_HTTP_TOKEN'])

/** What an error says about how far the request came; the error itself when the request is malformed. */
export function toFailure(error: NodeJS.ErrnoException, hasLeft: boolean): Error {
  if (MALFORMED.has(error.code ?? '')) return error
  if (error instanceof RefusedAddress) return new HttpFailure('refused', error.message)
  const message = error.message || error.code || 'the request failed'
  if (hasLeft) return new HttpFailure('uncertain', `${message} (after the request was sent)`)
  if (isTlsFailure(error.code)) return new HttpFailure('tls', message)
  return new HttpFailure('unsent', message, isOwnShortage(error.code))
}
