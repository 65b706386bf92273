/**
 * For receivers of webhooks: checks that Carillon sent a request, and recently. Follows Standard Webhooks, with the
 * platform's own crypto.
 */
import type { WebhookBatch, WebhookEvent } from '@carillon/contract'

/** Headers as in fetch, Express, Fastify and node:http. */
export type WebhookHeaders = Headers | { [name: string]: string | string[] | undefined }

export interface VerifyOptions {
  /** How far from now a request's time may be; an older one may be a replay by an attacker. Default 300. */
  toleranceSeconds?: number
  /** Replaces the clock. For tests. */
  now?: () => number
}

/** The request cannot be trusted. */
export class WebhookVerificationError extends Error {
  readonly code: 'missing_header' | 'invalid_secret' | 'wrong_time' | 'wrong_signature'

  constructor(code: WebhookVerificationError['code'], message: string) {
    super(message)
    this.name = 'WebhookVerificationError'
    this.code = code
  }
}

const TOLERANCE_SECONDS = 300

/**
 * Checks signature and time, and returns the event. `body` must be the bytes as they arrived: JSON that was parsed and
 * written again is a different text. Pass several secrets during a rotation; each is tried. The event's id is the same
 * on every repeat: remember the ids you have handled.
 */
export async function verifyWebhook<Event = WebhookEvent | WebhookBatch>(
  headers: WebhookHeaders,
  body: string | Uint8Array,
  secret: string | string[],
  { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now }: VerifyOptions = {},
): Promise<Event> {
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = signaturesIn(headerOf(headers, 'webhook-signature'))
  refuseWrongTime(timestamp, toleranceSeconds, now())
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const signed = signedBytes(`${id}.${timestamp}.`, body)
  for (const key of await Promise.all([secret].flat().map(importSecret))) {
    for (const signature of signatures) {
      // Compares in constant time.
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) return JSON.parse(text) as Event
    }
  }
  throw new WebhookVerificationError(
    'wrong_signature',
    'No signature of the webhook matches the secret and the body.',
  )
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : valueIn(headers, name)
  if (value) return value
  throw new WebhookVerificationError('missing_header', `The header ${name} is missing.`)
}

/** Node has header names in lower case, others as they were written. */
function valueIn(headers: Exclude<WebhookHeaders, Headers>, name: string): string | undefined {
  const key = name in headers ? name : Object.keys(headers).find(key => key.toLowerCase() === name)
  const value = key === undefined ? undefined : headers[key]
  return Array.isArray(value) ? value[0] : value
}

/** `v1,<base64>`, several of them separated by spaces; other versions are ignored. */
function signaturesIn(header: string): Uint8Array<ArrayBuffer>[] {
  return header
    .split(' ')
    .filter(part => part.startsWith('v1,'))
    .map(part => fromBase64(part.slice('v1,'.length)))
    .filter(bytes => bytes !== undefined)
}

function refuseWrongTime(timestamp: string, toleranceSeconds: number, nowMs: number): void {
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN
  // Also refuses NaN.
  if (Math.abs(nowMs / 1000 - seconds) <= toleranceSeconds) return
  const message = `The webhook's time is more than ${toleranceSeconds} s from now.`
  throw new WebhookVerificationError('wrong_time', message)
}

function importSecret(secret: string) {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''))
  if (bytes === undefined || bytes.length === 0) {
    throw new WebhookVerificationError('invalid_secret', 'The secret must be whsec_ followed by base64.')
  }
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

function signedBytes(prefix: string, body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  const start = new TextEncoder().encode(prefix)
  const rest = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const all = new Uint8Array(start.length + rest.length)
  all.set(start)
  all.set(rest, start.length)
  return all
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), character => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
