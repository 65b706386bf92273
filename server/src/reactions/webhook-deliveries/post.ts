/** One request to an endpoint: signs it, times it and judges the answer. Knows nothing of queues or tables. */
import { performance } from 'node:perf_hooks'
import { type HttpAnswer, type HttpClient, HttpFailure } from '../../platform/outgoing/http-client.ts'
import { createRedactor } from '../../platform/outgoing/redact.ts'
import { parseRetryAfter } from '../../platform/outgoing/retry-after.ts'
import { storable } from '../../platform/text/cut.ts'
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

/** The result of a request. `gone`: the endpoint no longer exists and will not come back. */
export interface Posted {
  verdict: 'delivered' | 'retry' | 'failed' | 'gone'
  startedAt: Date
  durationMs: number
  status: number | null
  /** '' when delivered. */
  error: string
  responseBody: string
  retryAfterMs?: number
}

const MAX_ANSWER_BYTES = 32 * 1024

export async function postWebhook(
  http: HttpClient,
  endpoint: Endpoint,
  message: WebhookMessage,
  signal: AbortSignal,
): Promise<Posted> {
  const startedAt = new Date()
  const start = performance.now()
  const judged = await http
    .send(
      {
        method: 'POST',
        url: endpoint.url,
        headers: headersOf(endpoint, message, startedAt),
        body: message.body,
      },
      { signal, timeoutMs: endpoint.timeoutMs, maxAnswerBytes: MAX_ANSWER_BYTES },
    )
    .then(judgeAnswer, judgeFailure)
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
