/** One submitted intent: whether its shape is right, and what exactly the producer sent. */
import {
  type Audience,
  BatchItem,
  type ErrorCode,
  Intent,
  MAX_ATTACHMENT_BYTES,
  MAX_PAYLOAD_BYTES,
  type ThreadRef,
} from '@carillon/contract'
import { uuidv7 } from 'uuidv7'
import type { ZodError, z } from 'zod'
import { fieldErrors, valueAt } from '../../platform/calls/field-errors.ts'
import { Refusal } from '../../platform/calls/refusal.ts'
import { activeSpan } from '../../platform/tracing/active-span.ts'
import { validTraceparent } from '../../platform/tracing/traceparent.ts'
import { attachedBytes, type ChannelOptions, optionsOf } from './channel-options.ts'

export const OVERSIZED_NUMBER =
  'It must not contain numbers of 10^1000 or more, or with more than 999 decimal places.'

/** An intent that passed the shape check, as accept_intents() takes it. */
export interface CheckedIntent {
  tenant_id: string
  notification_id: string
  notification_type: string
  producer: string
  idempotency_key: string | null
  audience: unknown
  channels: string[] | null
  payload_json: string
  send_at: string | null
  send_at_local: string | null
  expires_at: string | null
  occurred_at: string | null
  request_id: string
  traceparent: string
  source: string
  source_entry_id: string | null
  reason: string | null
  template: string | null
  thread: ThreadRef | null
  /** By channel. */
  options: ChannelOptions | null
  /** The run of a script that sends it, and how many dispatches led to it. No caller can state them. */
  run_id?: string
  trigger_depth?: number
}

export interface IntentOrigin {
  tenant_id: string
  source: string
  defaultProducer: string
  /** Whether the caller may send as this producer. */
  allowsProducer?: (producer: string) => boolean
  idempotencyKey?: string | undefined
  traceparent?: string | undefined
  requestId?: string | undefined
}

export interface SubmittedIntent {
  /** The parsed intent, not yet checked. */
  value: unknown
  /** Its JSON text, as received. */
  text: string
  /** The payload's JSON text, as received; '' when there is none. */
  payloadText: string
  /** If it came in another form, such as a CloudEvent: its trace, what stands in the way, and what fields are called there. */
  traceparent?: string | undefined
  refusal?: Refusal
  fieldNames?: Record<string, string>
}

/** Checks an intent's shape and fills in what its origin knows. Throws a Refusal that names the field. */
export function checkIntent(
  submitted: SubmittedIntent,
  origin: IntentOrigin,
  schema: z.ZodType<z.output<typeof BatchItem>> = Intent,
): CheckedIntent {
  if (submitted.refusal !== undefined) throw submitted.refusal
  const parsed = schema.safeParse(submitted.value)
  if (!parsed.success) throw shapeRefusal(parsed.error, submitted.value, schema)
  const intent = parsed.data
  if (intent.producer !== undefined && origin.allowsProducer?.(intent.producer) === false)
    throw foreignProducer('producer', intent.producer)
  if (Buffer.byteLength(submitted.payloadText) > MAX_PAYLOAD_BYTES) {
    throw refuse('payload_too_large', 'payload', `The payload has more than ${MAX_PAYLOAD_BYTES} bytes.`)
  }
  if (hasOversizedNumber(submitted.payloadText)) {
    throw refuse('invalid_payload', 'payload', OVERSIZED_NUMBER)
  }
  if (intent.send_at !== undefined && intent.send_at_local !== undefined) {
    throw refuse('invalid_timestamp', 'send_at_local', 'Give send_at or send_at_local, not both.')
  }
  if (Date.parse(intent.expires_at ?? '') <= Date.parse(intent.send_at ?? '')) {
    throw refuse('invalid_timestamp', 'expires_at', 'It must be later than send_at.')
  }
  refuseUnusableOptions(intent)
  if (!BatchItem.shape.idempotency_key.safeParse(origin.idempotencyKey).success) {
    throw refuse(
      'invalid_request',
      'idempotency_key',
      'The Idempotency-Key header must have 1 to 255 characters, none of them control characters.',
    )
  }
  if (
    intent.idempotency_key !== undefined &&
    origin.idempotencyKey !== undefined &&
    intent.idempotency_key !== origin.idempotencyKey
  ) {
    throw refuse(
      'invalid_request',
      'idempotency_key',
      'It differs from the Idempotency-Key header; send only one of them.',
    )
  }
  return {
    tenant_id: origin.tenant_id,
    notification_id: uuidv7(),
    notification_type: intent.notification_type,
    producer: intent.producer ?? origin.defaultProducer,
    idempotency_key: intent.idempotency_key ?? origin.idempotencyKey ?? null,
    audience: intent.audience,
    channels: intent.channels === undefined ? null : [...new Set(intent.channels)],
    payload_json: submitted.payloadText,
    send_at: intent.send_at ?? null,
    send_at_local: intent.send_at_local ?? null,
    expires_at: intent.expires_at ?? null,
    occurred_at: intent.occurred_at ?? null,
    request_id: intent.request_id ?? origin.requestId ?? '',
    traceparent:
      validTraceparent(submitted.traceparent) ?? origin.traceparent ?? activeSpan()?.traceparent ?? '',
    source: origin.source,
    source_entry_id: intent.source_entry_id ?? null,
    reason: intent.reason ?? null,
    template: intent.template ?? null,
    thread: intent.thread ?? null,
    options: optionsOf(intent),
  }
}

function refuseUnusableOptions({ email, audience }: Intent): void {
  if (attachedBytes(email) > MAX_ATTACHMENT_BYTES) {
    const message = `The attachments have more than ${MAX_ATTACHMENT_BYTES} bytes.`
    throw refuse('payload_too_large', 'email.attachments', message)
  }
  const copies = email?.cc ? 'email.cc' : email?.bcc && 'email.bcc'
  if (copies && recipientCount(audience) !== 1) {
    const message =
      'Copies need an audience of one person or address: everybody in it gets a mail of their own.'
    throw refuse('invalid_request', copies, message)
  }
}

/** 0 if only the database knows. */
function recipientCount(audience: Audience): number {
  if (audience.kind === 'users') return audience.user_ids.length
  return audience.kind === 'addresses' ? audience.addresses.length : 0
}

export function foreignProducer(field: string, producer: string): Refusal {
  const message = `The API key may not send as "${producer}"; leave it out, or use a key that lists it.`
  return refuse('invalid_producer', field, message)
}

function shapeRefusal(error: ZodError, input: unknown, schema: z.ZodType): Refusal {
  const errors = fieldErrors(error, input, schema)
  const first = errors[0] ?? { field: 'body', message: 'Not an intent.' }
  return new Refusal(codeOf(error, input), `${first.field}: ${first.message}`, errors)
}

/** The first invalid field decides. */
function codeOf(error: ZodError, input: unknown): ErrorCode {
  const path = error.issues[0]?.path.map(String) ?? []
  const isMissing =
    path.length > 0 && valueAt(input, path) === undefined && error.issues[0]?.code !== 'unrecognized_keys'
  if (path[0] === 'audience' && (path[1] === 'user_ids' || path[1] === 'addresses'))
    return 'invalid_recipients'
  if (isMissing) return 'missing_field'
  if (path[0] === 'audience' || path[0] === 'channels') return 'invalid_audience'
  if (path[0] === 'payload') return 'invalid_payload'
  if (/_at(_local)?$/.test(path[0] ?? '')) return 'invalid_timestamp'
  return 'invalid_request'
}

function refuse(code: ErrorCode, field: string, message: string): Refusal {
  return new Refusal(code, `${field}: ${message}`, [{ field, message }])
}

/** A quick test first; it reads each run of digits only once, however long. */
const MAYBE_OVERSIZED = /[eE][+-]?\d{3}|(?<![\d.])[\d.]{900}/
const STRINGS = /"[^"\\]*(?:\\.[^"\\]*)*"/g
const NUMBERS = /(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?/g

/** 1e99999 is seven bytes of JSON, but a hundred thousand digits in the database. Strings are not checked. */
export function hasOversizedNumber(json: string): boolean {
  if (!MAYBE_OVERSIZED.test(json)) return false
  const numbers = json.replace(STRINGS, '""').matchAll(NUMBERS)
  return [...numbers].some(([, whole = '', decimals = '', exponent = '0']) =>
    isOversized(whole, decimals, Number(exponent)),
  )
}

/** 10^1000 or more, or more than 999 decimal places; carillon.has_oversized_number() has the same rule in SQL. */
function isOversized(whole: string, decimals: string, exponent: number): boolean {
  const firstDigit = `${whole}${decimals}`.search(/[1-9]/)
  const isLarge = firstDigit >= 0 && whole.length - firstDigit + exponent > 1000
  return isLarge || decimals.length - exponent > 999
}
