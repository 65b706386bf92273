/**
 * What Twilio reports: what became of a message, to the StatusCallback sent with it, and replies such as STOP, to the
 * same URL if it is set as the number's webhook for incoming messages.
 */
import { createHash, createHmac } from 'node:crypto'
import { z } from 'zod'
import { assertGenuine, isSameSecret, parseJson, readAs } from '../callback-checks.ts'
import type { CallbackReader, CallbackRequest, Feedback } from '../kind.ts'
import { known } from '../known.ts'
import type { SuppressionReason } from '../provider.ts'
import { feedbackOfReply } from './replies.ts'

type Fields = Record<string, string | undefined>

/** What is no text means nothing to us. */
const JsonFields = z
  .record(z.string(), z.unknown())
  .transform(fields =>
    Object.entries(fields).filter((field): field is [string, string] => typeof field[1] === 'string'),
  )

/** Other statuses, such as queued and sent, are only intermediate. */
const KINDS: Record<string, Feedback['kind']> = {
  delivered: 'delivered',
  undelivered: 'bounced',
  failed: 'failed',
  read: 'opened',
}

/**
 * 30005 unknown handset, 30006 a landline or unreachable carrier, 21610 opted out. Not 63024, no valid recipient on WhatsApp:
 * that may also be an app that is too old or terms that are not accepted yet, and so pass.
 */
const SUPPRESSIONS: Record<string, SuppressionReason> = {
  '30005': 'invalid',
  '30006': 'invalid',
  '21610': 'unsubscribed',
}

export const twilioCallback: CallbackReader<unknown, { auth_token: string }> = {
  // Twilio reads the answer to an incoming message as instructions, and logs an error if they are none.
  answer: { contentType: 'text/xml', body: '<?xml version="1.0" encoding="UTF-8"?><Response></Response>' },
  async read(request, { secrets, now }) {
    assertGenuine(isSigned(request, secrets.auth_token))
    const fields = readFields(request)
    const at = new Date(now())
    return [readStatus(fields, request.url, at) ?? readReply(fields, at)].filter(isPresent)
  },
}

/** The message id is in the query of the URL that we gave to Twilio. */
function readStatus(fields: Fields, url: string, at: Date): Feedback | undefined {
  const { MessageSid = '', MessageStatus = '', ErrorCode = '', To = '' } = fields
  const message_id = new URL(url).searchParams.get('message_id')
  const kind = known(KINDS, MessageStatus)
  if (kind === undefined || message_id === null) return undefined
  const reason = known(SUPPRESSIONS, ErrorCode)
  return {
    message_id,
    event_id: `${MessageSid}:${MessageStatus}`,
    kind,
    ...(reason && { suppress: { address: To, reason } }),
    detail: ErrorCode === '' ? MessageStatus : `${MessageStatus}, error ${ErrorCode}`,
    at,
  }
}

/** OptOutType is set by Advanced Opt-Out, where tenants choose their own words. */
function readReply(fields: Fields, at: Date): Feedback | undefined {
  const { MessageSid = '', From = '', Body, OptOutType } = fields
  if (Body === undefined || From === '' || MessageSid === '') return undefined
  return feedbackOfReply({ from: From, text: Body, event_id: MessageSid, at, wish: OptOutType })
}

/** For a form, URL and fields are signed; for a JSON body, only the URL, which contains the body's hash. */
function isSigned({ url, headers, body }: CallbackRequest, authToken: string): boolean {
  const hash = new URL(url).searchParams.get('bodySHA256')
  if (hash !== null && !isSameSecret(hash, createHash('sha256').update(body).digest('hex'))) return false
  const signed = hash === null ? sortedFields(body) : ''
  const signature = headers['x-twilio-signature'] ?? ''
  return withAndWithoutPort(url).some(variant =>
    isSameSecret(signature, createHmac('sha1', authToken).update(variant).update(signed).digest('base64')),
  )
}

/** Names and values concatenated, sorted by name; for a repeated name, each distinct value once, sorted too. */
function sortedFields(body: Buffer): string {
  const pairs = [...new URLSearchParams(body.toString())].sort(
    ([name, value], [other, otherValue]) => compare(name, other) || compare(value, otherValue),
  )
  const repeats = (at: number) => pairs[at]![0] === pairs[at - 1]?.[0] && pairs[at]![1] === pairs[at - 1]?.[1]
  return pairs.map(([name, value], at) => (repeats(at) ? '' : name + value)).join('')
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

/** Twilio signs the URL sometimes with its port and sometimes without. */
function withAndWithoutPort(url: string): string[] {
  const [, scheme = '', host = '', port, rest = ''] =
    /^(https?:\/\/)([^/?#]*?)(:\d+)?([/?#].*)?$/s.exec(url) ?? []
  const standard = scheme === 'https://' ? ':443' : ':80'
  return [`${scheme}${host}${rest}`, `${scheme}${host}${port ?? standard}${rest}`]
}

/** Reads the body as what was signed, whatever the content type says. */
function readFields({ url, body }: CallbackRequest): Fields {
  const isJson = new URL(url).searchParams.has('bodySHA256')
  const fields = isJson ? readAs(JsonFields, parseJson(body)) : new URLSearchParams(body.toString())
  return Object.fromEntries(fields ?? [])
}

function isPresent<T>(value: T | undefined): value is T {
  return value !== undefined
}
