/** One submitted event: whether its shape is right, and what exactly the producer sent. */
import { type ErrorCode, MAX_EVENT_PAYLOAD_BYTES, NewEvent } from '@carillon/contract'
import type { ZodError } from 'zod'
import {
  foreignProducer,
  hasOversizedNumber,
  OVERSIZED_NUMBER,
  type SubmittedIntent,
} from '../../intake/intents/intent.ts'
import { fieldErrors, valueAt } from '../../platform/calls/field-errors.ts'
import { Refusal } from '../../platform/calls/refusal.ts'
import { activeSpan } from '../../platform/tracing/active-span.ts'
import { validTraceparent } from '../../platform/tracing/traceparent.ts'

/** An event that passed the shape check, as append_events() takes it. */
export interface CheckedEvent {
  tenant_id: string
  kind: string
  producer: string
  actor_id: string | null
  topic: string | null
  thread: { kind: string; id: string; title?: string; url?: string; author_id?: string } | null
  source_kind: string | null
  source_id: string | null
  is_public: boolean
  relations: Record<string, string[]> | null
  payload_json: string
  idempotency_key: string | null
  request_id: string
  traceparent: string
  occurred_at: string | null
  /** How many dispatches led to it. No caller can state it. */
  trigger_depth?: number
}

export interface EventOrigin {
  tenant_id: string
  defaultProducer: string
  /** Whether the caller may send as this producer. */
  allowsProducer: (producer: string) => boolean
  idempotencyKey?: string | undefined
  traceparent?: string | undefined
  requestId?: string | undefined
}

/** What was sent as an event: parsed, its text, and that of its payload. */
export type SubmittedEvent = SubmittedIntent

/** Checks an event's shape and fills in what its origin knows. Throws a Refusal that names the field. */
export function checkEvent(submitted: SubmittedEvent, origin: EventOrigin): CheckedEvent {
  const { value, payloadText, traceparent, refusal } = submitted
  if (refusal !== undefined) throw refusal
  const parsed = NewEvent.safeParse(value)
  if (!parsed.success) throw shapeRefusal(parsed.error, value)
  const event = parsed.data
  if (event.producer !== undefined && !origin.allowsProducer(event.producer))
    throw foreignProducer('producer', event.producer)
  if (Buffer.byteLength(payloadText) > MAX_EVENT_PAYLOAD_BYTES) {
    const message = `The payload has more than ${MAX_EVENT_PAYLOAD_BYTES} bytes.`
    throw refuse('payload_too_large', 'payload', message)
  }
  if (hasOversizedNumber(payloadText)) throw refuse('invalid_payload', 'payload', OVERSIZED_NUMBER)
  return {
    tenant_id: origin.tenant_id,
    kind: event.kind,
    producer: event.producer ?? origin.defaultProducer,
    actor_id: event.actor_id ?? null,
    topic: event.topic ?? null,
    thread: (event.thread as CheckedEvent['thread']) ?? null,
    source_kind: event.source_kind ?? null,
    source_id: event.source_id ?? null,
    is_public: event.is_public,
    relations: event.relations ?? null,
    payload_json: payloadText === '' ? '{}' : payloadText,
    idempotency_key: keyOf(event.idempotency_key, origin.idempotencyKey),
    request_id: event.request_id ?? origin.requestId ?? '',
    traceparent: validTraceparent(traceparent) ?? origin.traceparent ?? activeSpan()?.traceparent ?? '',
    occurred_at: event.occurred_at ?? null,
  }
}

/** The one in the body, or that of the header. */
function keyOf(given: string | undefined, header: string | undefined): string | null {
  if (!NewEvent.shape.idempotency_key.safeParse(header).success) {
    const message =
      'The Idempotency-Key header must have 1 to 255 characters, none of them control characters.'
    throw refuse('invalid_request', 'idempotency_key', message)
  }
  if (given !== undefined && header !== undefined && given !== header) {
    const message = 'It differs from the Idempotency-Key header; send only one of them.'
    throw refuse('invalid_request', 'idempotency_key', message)
  }
  return given ?? header ?? null
}

function shapeRefusal(error: ZodError, input: unknown): Refusal {
  const errors = fieldErrors(error, input, NewEvent)
  const first = errors[0] ?? { field: 'body', message: 'Not an event.' }
  return new Refusal(codeOf(error, input), `${first.field}: ${first.message}`, errors)
}

/** The first invalid field decides. */
function codeOf(error: ZodError, input: unknown): ErrorCode {
  const path = error.issues[0]?.path.map(String) ?? []
  const isMissing =
    path.length > 0 && valueAt(input, path) === undefined && error.issues[0]?.code !== 'unrecognized_keys'
  if (isMissing) return 'missing_field'
  if (path[0] === 'payload') return 'invalid_payload'
  return path[0] === 'occurred_at' ? 'invalid_timestamp' : 'invalid_request'
}

function refuse(code: ErrorCode, field: string, message: string): Refusal {
  return new Refusal(code, `${field}: ${message}`, [{ field, message }])
}
