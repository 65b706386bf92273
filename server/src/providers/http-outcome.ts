/** What an HTTP answer, or its absence, means for the message. */

import { parseRetryAfter } from '../outgoing/retry-after.ts'
import { isTlsFailure } from '../outgoing/tls-failure.ts'
import type { Outcome } from './provider.ts'
import type { Failure } from './recovery-hint.ts'

export interface HttpAnswer {
  status: number
  retry_after?: string
  location?: string
  /** The beginning of the body, as text. */
  body: string
}

/** Judges by the status alone; the body only adds the provider's id or its complaint. */
export function httpOutcome(answer: HttpAnswer, now: () => number): Outcome {
  const { status } = answer
  const message = describe(answer)
  const wait = parseRetryAfter(answer.retry_after, now)
  const retry_after = wait === undefined ? {} : { retry_after_ms: wait }

  if (status < 300) return { kind: 'sent', response: message, ...idIn(answer.body) }
  if (status < 400) return { kind: 'permanent', message: `${message}; redirects are not followed` }
  if (status === 401 || status === 403) return { kind: 'config', message }
  if (status === 429) return { kind: 'rate_limited', message, ...retry_after }
  if (status === 503) return { kind: 'retry', message, ...retry_after }
  if (status === 408 || status >= 500) return { kind: 'retry', message }
  return { kind: 'permanent', message }
}

/** Judges an attempt that got no answer: once the request has left, the receiver may have acted on it. */
export function httpFailure(error: NodeJS.ErrnoException, request_left: boolean): Failure {
  const message = error.message || error.code || 'the request failed'
  if (request_left) return { kind: 'uncertain', message: `${message} (after the request was sent)` }
  if (isTlsFailure(error.code) || error.code === 'UND_ERR_INVALID_ARG') return { kind: 'config', message }
  return { kind: 'retry', message }
}

function describe({ status, location, body }: HttpAnswer): string {
  const target = location === undefined ? '' : ` to ${location}`
  const excerpt = body.slice(0, 500).trim()
  return `HTTP ${status}${target}${excerpt && `: ${excerpt}`}`
}

function idIn(body: string): { provider_message_id?: string } {
  try {
    const id: unknown = JSON.parse(body)?.id
    return typeof id === 'string' || typeof id === 'number' ? { provider_message_id: String(id) } : {}
  } catch {
    return {}
  }
}
