/** One message to an endpoint: signs it, sends it, times it and judges the answer. Knows nothing of queues or tables. */
import { performance } from 'node:perf_hooks'
import type { StreamKind } from '@carillon/contract'
import { type HttpAnswer, type HttpClient, HttpFailure } from '../../platform/outgoing/http-client.ts'
import { createRedactor } from '../../platform/outgoing/redact.ts'
import { parseRetryAfter } from '../../platform/outgoing/retry-after.ts'
import { storable } from '../../platform/text/cut.ts'
import { type OutputStreams, streamOf } from '../output-streams/output-streams.ts'
import type { Endpoint } from '../webhooks/endpoints.ts'

export interface WebhookMessage {
  deliveryId: string
  /** The header webhook-id. */
  eventId: string
  eventType: string
  body: string
  contentType: string
  traceparent: string
}

/**
 * The result of a request. `gone`: the endpoint no longer exists and will not come back. `waits`: the broker is away, which
 * is nobody's fault here, so that it counts as no attempt.
 */
export interface Posted {
  verdict: 'delivered' | 'retry' | 'failed' | 'gone' | 'waits'
  startedAt: Date
  durationMs: number
  status: number | null
  /** '' when delivered. */
  error: string
  responseBody: string
  retryAfterMs?: number
}

const MAX_ANSWER_BYTES = 32 * 1024

/** How messages leave: by HTTP, or to one of the operator's streams. */
export interface Senders {
  http: HttpClient
  streams: OutputStreams
}

export async function sendWebhook(
  senders: Senders,
  endpoint: Endpoint,
  message: WebhookMessage,
  signal: AbortSignal,
): Promise<Posted> {
  const startedAt = new Date()
  const start = performance.now()
  const headers = headersOf(endpoint, message, startedAt)
  const stream = streamOf(endpoint.url)
  const judged =
    stream === undefined
      ? await post(senders.http, endpoint, headers, message.body, signal)
      : await publish(senders.streams, stream, endpoint, headers, message, signal)
  const redact = createRedactor(endpoint.secretTexts)
  return {
    ...judged,
    startedAt,
    durationMs: performance.now() - start,
    error: redact(judged.error),
    // Reading bytes that are not text as text makes it longer.
    responseBody: storable(redact(judged.responseBody), MAX_ANSWER_BYTES, 'bytes'),
  }
}

function post(
  http: HttpClient,
  { url, timeoutMs }: Endpoint,
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
): Promise<Judged> {
  return http
    .send({ method: 'POST', url, headers, body }, { signal, timeoutMs, maxAnswerBytes: MAX_ANSWER_BYTES })
    .then(judgeAnswer, judgeFailure)
}

/** The broker gets what a receiver would get. The id names the webhook too: two of them are both told of an event. */
async function publish(
  streams: OutputStreams,
  kind: StreamKind,
  { tenantId, id }: Endpoint,
  headers: Record<string, string>,
  { eventId, eventType, body }: WebhookMessage,
  signal: AbortSignal,
): Promise<Judged> {
  const message = { tenantId, eventType, id: `${eventId}.${id}`, headers, body }
  const published = await streams.publish(kind, message, signal)
  if (published.arrived)
    return { verdict: 'delivered', status: null, error: '', responseBody: published.answer }
  const { error, retryMs: retryAfterMs } = published
  const common = { status: null, error, responseBody: '' }
  return retryAfterMs === undefined
    ? { ...common, verdict: 'failed' }
    : { ...common, verdict: 'waits', retryAfterMs }
}

function headersOf(endpoint: Endpoint, message: WebhookMessage, at: Date): Record<string, string> {
  return {
    ...endpoint.headers,
    'content-type': message.contentType,
    'webhook-id': message.eventId,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': endpoint.sign(message.eventId, at, message.body),
    'carillon-webhook': endpoint.id,
    'carillon-delivery': message.deliveryId,
    'carillon-event': message.eventType,
    ...(message.traceparent !== '' && { traceparent: message.traceparent }),
  }
}

type Judged = Pick<Posted, 'verdict' | 'status' | 'error' | 'responseBody' | 'retryAfterMs'>

/** Retries only what may go away by itself. A redirect would take the signed body to an address that nobody entered. */
function judgeAnswer(answer: HttpAnswer): Judged {
  const { status, body: responseBody } = answer
  if (status >= 200 && status < 300) return { verdict: 'delivered', status, error: '', responseBody }
  if (status === 410)
    return { verdict: 'gone', status, error: 'The receiver answered 410 Gone.', responseBody }
  const retryAfterMs = parseRetryAfter(answer.headers['retry-after'], Date.now)
  if (status === 408 || status === 429 || status >= 500) {
    const error = `The receiver answered ${status}.`
    return {
      verdict: 'retry',
      status,
      error,
      responseBody,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    }
  }
  const error =
    status >= 300 && status < 400
      ? `The receiver answered ${status}; redirects are not followed.`
      : `The receiver refused it with ${status}.`
  return { verdict: 'failed', status, error, responseBody }
}

function judgeFailure(error: Error): Judged {
  const isFinal = !(error instanceof HttpFailure) || error.stage === 'refused'
  return { verdict: isFinal ? 'failed' : 'retry', status: null, error: error.message, responseBody: '' }
}
