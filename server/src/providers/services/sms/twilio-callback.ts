/**
 * What Twilio reports: what became of a message, to the StatusCallback sent with it, and replies such as STOP, to the
 * same URL if it is set as the number's webhook for incoming messages.
 */
import { createHash, createHmac } from 'node:crypto'
import { cut } from '../../../platform/text/cut.ts'
import { assertGenuine, isSameSecret, parseJson } from '../callback-checks.ts'
import type { CallbackReader, CallbackRequest, Feedback } from '../kind.ts'
import type { SuppressionReason } from '../provider.ts'

type Fields = Record<string, string | undefined>

/** Other statuses, such as queued and sent, are only intermediate. */
const KINDS: Record<string, Feedback['kind'] | undefined> = {
  delivered: 'delivered',
  undelivered: 'bounced',
  failed: 'failed',
  read: 'opened',
}

/** 30005 unknown handset, 30006 a landline or unreachable carrier, 21610 opted out. */
const SUPPRESSIONS: Record<string, SuppressionReason | undefined> = {
  '30005': 'invalid',
  '30006': 'invalid',
  '21610': 'unsubscribed',
}

/** The words that Twilio itself treats as an opt-out. */
const STOP_WORDS = ['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT']

/** The words that Twilio itself treats as an opt-in. */
const START_WORDS = ['START', 'YES', 'UNSTOP']

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
  const kind = KINDS[MessageStatus]
  if (kind === undefined || message_id === null) return undefined
  const reason = SUPPRESSIONS[ErrorCode]
  return {
    message_id,
    event_id: `${MessageSid}:${MessageStatus}`,
    kind,
    ...(reason && { suppress: { address: To, reason } }),
    detail: ErrorCode === '' ? MessageStatus : `${MessageStatus}, error ${ErrorCode}`,
    at,
  }
}

/** A reply does not refer to one of our messages: it is about the number. */
function readReply(fields: Fields, at: Date): Feedback | undefined {
  const { MessageSid = '', From = '', Body } = fields
  if (Body === undefined || From === '') return undefined
  const reply = { message_id: '', event_id: MessageSid, detail: `replied ${cut(Body.trim(), 100)}`, at }
  switch (wishOf(fields)) {
    case 'STOP':
      return { ...reply, kind: 'unsubscribed', suppress: { address: From, reason: 'unsubscribed' } }
    case 'START':
      return { ...reply, kind: 'resubscribed', lift: { address: From } }
  }
}

/** OptOutType is set by Advanced Opt-Out, where tenants choose their own words. */
function wishOf({ OptOutType, Body = '' }: Fields): string | undefined {
  if (OptOutType !== undefined) return OptOutType
  const word = Body.trim().toUpperCase()
  if (STOP_WORDS.includes(word)) return 'STOP'
  return START_WORDS.includes(word) ? 'START' : undefined
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
  return isJson ? (parseJson(body) as Fields) : Object.fromEntries(new URLSearchParams(body.toString()))
}

function isPresent<T>(value: T | undefined): value is T {
  return value !== undefined
}
