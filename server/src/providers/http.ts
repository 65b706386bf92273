/** Posts messages as JSON to one URL that the operator configured. */
import { Readable } from 'node:stream'
import { Agent, type Dispatcher, request } from 'undici'
import { startDeadline } from '../outgoing/deadline.ts'
import { writeHttpBody } from './http-body.ts'
import { type HttpAnswer, httpFailure, httpOutcome } from './http-outcome.ts'
import type { Message, Provider } from './provider.ts'
import { createRedactor, secretsInHeaders, secretsInUrl } from './redact.ts'
import { urlCredentials } from './url-credentials.ts'

export interface HttpOptions {
  /** http or https; credentials in it are sent as Basic authentication. */
  url: string
  headers?: Record<string, string>
  /** For one whole attempt, connecting included. */
  timeout_ms: number
}

const LARGEST_ANSWER = 32 * 1024

/** Without a bound a large batch opens one connection per message; further requests wait, within their timeout. */
const MOST_CONNECTIONS = 256

/** Makes the provider; throws when the URL cannot work, without repeating it. */
export function createHttpProvider(options: HttpOptions): Provider {
  const { timeout_ms } = options
  const url = parseHttpUrl(options.url)
  const headers = { ...basicAuth(url), ...lowerCaseNames(options.headers ?? {}) }
  const secrets = [...secretsInUrl(url), ...url.searchParams.values(), ...secretsInHeaders(headers)]
  const redact = createRedactor(secrets)
  const target = withoutCredentials(url)
  const agent = new Agent({
    connections: MOST_CONNECTIONS,
    connect: { timeout: timeout_ms },
    headersTimeout: timeout_ms,
    bodyTimeout: timeout_ms,
  })
  let closed: Promise<void> | undefined

  return {
    name: 'http',

    async send(message, signal) {
      if (signal.aborted) return { kind: 'retry', message: 'the attempt was aborted before it began' }
      const body = tryToWrite(message)
      if (body === null) return { kind: 'permanent', message: 'the payload has no JSON form' }

      const deadline = startDeadline(signal, timeout_ms)
      const departure = { request_left: false }
      try {
        const response = await deadline.race(
          request(target, {
            method: 'POST',
            dispatcher: agent,
            signal: deadline.signal,
            headers: { ...headers, ...headersFor(message), 'content-length': String(body.byteLength) },
            body: Readable.from(noteDeparture(body, departure)),
          }),
        )
        const outcome = httpOutcome(await readAnswer(response), Date.now)
        return outcome.kind === 'sent'
          ? { ...outcome, response: redact(outcome.response ?? '') }
          : { ...outcome, message: redact(outcome.message) }
      } catch (error) {
        const failure = httpFailure(error as NodeJS.ErrnoException, departure.request_left)
        return { ...failure, message: redact(failure.message) }
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

/** Undici asks for the body once it has a connection and is about to write: before that nothing has left. */
async function* noteDeparture(body: Buffer, departure: { request_left: boolean }) {
  departure.request_left = true
  yield body
}

/** The status line has decided already, so a body that is too long or breaks off is simply cut. */
async function readAnswer(response: Dispatcher.ResponseData): Promise<HttpAnswer> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of response.body) {
      chunks.push(chunk)
      length += chunk.length
      if (length >= LARGEST_ANSWER) break
    }
  } catch {}
  return {
    status: response.statusCode,
    retry_after: firstOf(response.headers['retry-after']),
    location: firstOf(response.headers.location),
    body: Buffer.concat(chunks).subarray(0, LARGEST_ANSWER).toString(),
  }
}

function headersFor(message: Message): Record<string, string> {
  return {
    'content-type': 'application/json',
    'idempotency-key': message.message_id,
    ...(message.traceparent && { traceparent: message.traceparent }),
  }
}

function tryToWrite(message: Message): Buffer | null {
  try {
    return Buffer.from(writeHttpBody(message))
  } catch {
    return null
  }
}

function parseHttpUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : null
  if (parsed && ['http:', 'https:'].includes(parsed.protocol)) return parsed
  // The URL itself is not repeated: it may carry credentials.
  throw new Error('expected the provider url to begin with http:// or https://')
}

function basicAuth(url: URL): Record<string, string> {
  if (url.username === '' && url.password === '') return {}
  const { user, password } = urlCredentials(url)
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` }
}

function withoutCredentials(url: URL): URL {
  const bare = new URL(url)
  bare.username = ''
  bare.password = ''
  return bare
}

/** Header names compare without case, so that ours replace the operator's instead of standing beside them. */
function lowerCaseNames(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

function firstOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header
}
