/** What an entry says: an intent in the flat form, in that of POST /v1/intents, or as a CloudEvent. */
import { createHash } from 'node:crypto'
import { Refusal } from '../../platform/calls/refusal.ts'
import { storable } from '../../platform/text/cut.ts'
import { wholeText } from '../../platform/text/json-spans.ts'
import { hasUnstorableEscape } from '../../platform/text/json-text.ts'
import { toStorableJson } from '../../platform/text/storable-json.ts'
import { validTraceparent } from '../../platform/tracing/traceparent.ts'
import { type CloudEvent, readBinary, readStructured } from '../cloud-events/cloud-event.ts'
import { intentOf } from '../cloud-events/intent-of.ts'
import {
  type CheckedIntent,
  checkIntent,
  type IntentOrigin,
  type SubmittedIntent,
} from '../intents/intent.ts'
import { isMalformed, type NewMalformedIntent, withoutAttachments } from '../intents/malformed.ts'
import { inWordsOf, toSubmitted } from '../intents/submitted.ts'
import type { StreamEntry } from './entry.ts'
import { isFlat, readFlatFields } from './flat-fields.ts'

/** Where the entries of a stream belong. */
export interface EntryOrigin {
  tenant_id: string
  /** Names the stream, so that entries of two streams with the same id differ. */
  source: string
  defaultProducer: string
}

/** What was readable of an entry, to find it again; '' where nothing was. */
type Readable = Pick<NewMalformedIntent, 'notification_type' | 'producer' | 'idempotency_key'>

export interface Interpreted {
  entry: StreamEntry
  readable: Readable
  /** The intent, or why there is none. */
  intent: CheckedIntent | Refusal
}

const MAX_KEPT_BYTES = 256 * 1024
const MAX_KEY_CHARACTERS = 255

export function interpret(entry: StreamEntry, origin: EntryOrigin): Interpreted {
  const read: Record<string, unknown> = {}
  const intent = readIntent(entry, origin, read)
  const readable = (name: string) =>
    typeof read[name] === 'string' ? storable(read[name], MAX_KEY_CHARACTERS, 'characters') : ''
  return {
    entry,
    intent,
    readable: {
      notification_type: readable('notification_type'),
      producer: read.producer === undefined ? origin.defaultProducer : readable('producer'),
      idempotency_key: readable('idempotency_key'),
    },
  }
}

/** The row of an entry that cannot be accepted. Long values are cut: an entry may have hundreds of megabytes. */
export function toMalformedRow(
  { entry, readable }: Interpreted,
  { tenant_id, source }: EntryOrigin,
  refusal: Refusal,
): NewMalformedIntent {
  const { fields, message } = entry.content()
  const shortened = (values: Map<string, string>) =>
    Object.fromEntries([...values].map(([name, value]) => [storable(name, 200), kept(value)]))
  const raw =
    message === undefined
      ? shortened(fields ?? new Map())
      : {
          headers: shortened(message.headers),
          data: kept(message.text),
        }
  return {
    tenant_id,
    source,
    source_entry_id: entry.id,
    ...readable,
    failure_code: refusal.code,
    failure_message: storable(refusal.message, 1000),
    raw_json: toStorableJson(raw),
  }
}

function kept(text: string): string {
  const shown = text.includes('"attachments"') ? withoutAttachments({ text, value: tryParse(text) }) : text
  return storable(shown, MAX_KEPT_BYTES, 'bytes')
}

/** `read` gets what the entry says, as far as it could be read. */
function readIntent(
  entry: StreamEntry,
  origin: EntryOrigin,
  read: Record<string, unknown>,
): CheckedIntent | Refusal {
  try {
    const { fields, message, isGarbled } = entry.content()
    if (fields !== undefined) Object.assign(read, Object.fromEntries(fields))
    if (isGarbled) throw refuse('Expected text in UTF-8.')
    const intent =
      fields !== undefined && !isSingle(fields)
        ? fromFlat(fields, origin)
        : fromText(message?.text ?? [...fields!.values()][0]!, message?.headers ?? new Map(), origin, read)
    return { ...intent, source_entry_id: entry.id }
  } catch (error) {
    if (isMalformed(error)) return error
    throw error
  }
}

/** One field of any name holds the JSON text of an intent. */
const isSingle = (fields: Map<string, string>): boolean => fields.size === 1 && !isFlat([...fields.keys()])

function fromFlat(fields: Map<string, string>, origin: EntryOrigin): CheckedIntent {
  // Only these are JSON, in which such a text means a character.
  for (const name of ['payload_json', 'recipient_user_ids_json']) refuseUnstorable(fields.get(name) ?? '')
  return checkInItsWords(readFlatFields(fields), origin)
}

function fromText(
  text: string,
  headers: Map<string, string>,
  origin: EntryOrigin,
  read: Record<string, unknown>,
): CheckedIntent {
  if (headers.has('ce-specversion')) return fromCloudEvent(readBinary(headers, text), origin, read)
  const value = parseObject(text)
  Object.assign(read, value)
  refuseUnstorable(text)
  if ('specversion' in value) return fromCloudEvent(readStructured(text, value), origin, read)
  if (isFlat(Object.keys(value))) return fromFlat(textsOf(value), origin)
  return checkIntent(toSubmitted(text, wholeText(text), value), originOf(headers, value, origin))
}

/** An event's own id is its key, wherever it was published. */
function fromCloudEvent(
  event: CloudEvent,
  origin: EntryOrigin,
  read: Record<string, unknown>,
): CheckedIntent {
  const submitted = intentOf(event)
  Object.assign(read, submitted.value)
  return checkInItsWords(submitted, origin)
}

function checkInItsWords(submitted: SubmittedIntent, origin: EntryOrigin): CheckedIntent {
  try {
    return checkIntent(submitted, { ...origin, traceparent: validTraceparent(submitted.traceparent) })
  } catch (error) {
    throw inWordsOf(submitted, error)
  }
}

/** What a message says about itself counts where the intent says nothing. */
function originOf(
  headers: Map<string, string>,
  value: Record<string, unknown>,
  origin: EntryOrigin,
): IntentOrigin {
  const messageId = headers.get('nats-msg-id')
  return {
    ...origin,
    traceparent: validTraceparent(headers.get('traceparent')),
    idempotencyKey: value.idempotency_key === undefined && messageId ? keyOf(messageId) : undefined,
  }
}

function keyOf(messageId: string): string {
  const isUsable = /^[^\p{Cc}]+$/u.test(messageId) && messageId.length <= MAX_KEY_CHARACTERS
  return isUsable ? messageId : createHash('sha256').update(messageId).digest('hex')
}

function textsOf(value: Record<string, unknown>): Map<string, string> {
  const entries = Object.entries(value)
  const wrong = entries.find(([, item]) => typeof item !== 'string')
  if (wrong !== undefined) throw refuse(`Expected only texts in the flat form; "${wrong[0]}" is none.`)
  return new Map(entries as [string, string][])
}

function parseObject(text: string): Record<string, unknown> {
  const value = tryParse(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  throw refuse('Expected the fields of an intent, or one JSON object.')
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** As over HTTP: the database would blame the payload, and all entries beside it would be tried one by one. */
function refuseUnstorable(text: string): void {
  if (!hasUnstorableEscape(text)) return
  const message = 'PostgreSQL cannot store \\u0000 or an unpaired surrogate such as \\ud800.'
  throw new Refusal('unstorable_text', message, [{ field: 'body', message }])
}

function refuse(message: string): Refusal {
  return new Refusal('invalid_request', message, [{ field: 'body', message }])
}
