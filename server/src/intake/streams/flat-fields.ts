/** The flat form of an intent: text fields only, with the payload and the recipients as JSON texts inside. */
import type { ErrorCode } from '@carillon/contract'
import { Refusal } from '../../platform/calls/refusal.ts'
import { didYouMean } from '../../platform/text/did-you-mean.ts'
import { validTraceparent } from '../../platform/tracing/traceparent.ts'
import type { SubmittedIntent } from '../intents/intent.ts'

const REQUIRED = [
  'notification_type',
  'producer',
  'audience_kind',
  'idempotency_key',
  'occurred_at_ms',
  'payload_json',
]
const KNOWN = [...REQUIRED, 'recipient_user_ids_json', 'request_id', 'trace_id']
/** Dates that JavaScript and PostgreSQL can both hold. */
const LAST_MS = 8_640_000_000_000_000

const FIELD_NAMES = { occurred_at: 'occurred_at_ms', payload: 'payload_json' }

/** An intent has a payload, the flat form a payload_json; no other form has this name. */
export const isFlat = (names: string[]): boolean => names.includes('payload_json')

/** Throws a Refusal that names the field. An optional field that is empty counts as missing. */
export function readFlatFields(fields: Map<string, string>): SubmittedIntent {
  const value = (name: string) => fields.get(name) ?? ''
  for (const name of fields.keys()) if (!KNOWN.includes(name)) throw unknownField(name)
  const missing = REQUIRED.find(name => value(name) === '')
  if (missing !== undefined) throw refuse('missing_field', missing, 'Required.')
  const payload = parse(value('payload_json'))
  if (payload === undefined) throw refuse('invalid_payload', 'payload_json', 'Expected a JSON object.')
  return {
    value: {
      notification_type: value('notification_type'),
      producer: value('producer'),
      audience: audienceOf(value('audience_kind'), value('recipient_user_ids_json')),
      idempotency_key: value('idempotency_key'),
      occurred_at: timeOf(value('occurred_at_ms')),
      ...(value('request_id') !== '' && { request_id: value('request_id') }),
      payload,
    },
    text: JSON.stringify(Object.fromEntries(fields)),
    payloadText: value('payload_json'),
    traceparent: traceparentOf(value('trace_id')),
    fieldNames: FIELD_NAMES,
  }
}

function audienceOf(kind: string, idsJson: string): object {
  const ids = idsJson === '' ? [] : parse(idsJson)
  if (!Array.isArray(ids) || ids.some(id => typeof id !== 'string'))
    throw refuse('invalid_recipients', 'recipient_user_ids_json', 'Expected a JSON list of user ids.')
  if (kind === 'user') {
    if (ids.length === 0)
      throw refuse('invalid_recipients', 'recipient_user_ids_json', 'Expected at least one user id.')
    return { kind: 'users', user_ids: ids }
  }
  if (kind !== 'admin_email')
    throw refuse('invalid_audience', 'audience_kind', 'Expected "user" or "admin_email".')
  if (ids.length > 0)
    throw refuse(
      'invalid_recipients',
      'recipient_user_ids_json',
      'Expected none: the addresses are those of the type.',
    )
  return { kind }
}

function timeOf(ms: string): string {
  if (!/^[0-9]{1,16}$/.test(ms) || Number(ms) > LAST_MS)
    throw refuse('invalid_timestamp', 'occurred_at_ms', 'Expected milliseconds since 1970.')
  return new Date(Number(ms)).toISOString()
}

/** A trace without the span that we are called by: its own half stands for that. Other texts are no W3C trace. */
function traceparentOf(traceId: string): string | undefined {
  return validTraceparent(/^[0-9a-f]{32}$/.test(traceId) ? `00-${traceId}-${traceId.slice(16)}-01` : traceId)
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

function unknownField(name: string): Refusal {
  const meant = name.length <= 50 ? didYouMean(name, KNOWN) : undefined
  return refuse('invalid_request', name, `Unknown field${meant ? `; did you mean "${meant}"?` : '.'}`)
}

function refuse(code: ErrorCode, field: string, message: string): Refusal {
  return new Refusal(code, `${field}: ${message}`, [{ field, message }])
}
