/** The form of an intent, as it is typed. It outlives the page in this tab, so that going back loses nothing. */
import type { AudienceKind, Channel, IntentInput, NotificationType, RecordDetail } from '@carillon/contract'
import { prettyJson } from '../../ui/json-view.tsx'
import { timeOf } from '../../ui/local-time.ts'

export interface Draft {
  type: string
  audience: AudienceKind
  people: string[]
  addressChannel: Exclude<Channel, 'in_app'>
  /** One per line. */
  addresses: string
  topic: string
  /** If left empty: those of the type. */
  channels: Channel[]
  payload: string
  producer: string
  reason: string
  template: string
  idempotencyKey: string
  /** As the browser's field has it: local, without a zone. */
  sendAt: string
  expiresAt: string
}

export const EMPTY_DRAFT: Draft = {
  type: '',
  audience: 'users',
  people: [],
  addressChannel: 'email',
  addresses: '',
  topic: '',
  channels: [],
  payload: '{\n  "title": "Hello",\n  "body": "A first test."\n}',
  producer: '',
  reason: '',
  template: '',
  idempotencyKey: '',
  sendAt: '',
  expiresAt: '',
}

const KEY = 'carillon-draft'

export function keepDraft(draft: Draft): void {
  sessionStorage.setItem(KEY, JSON.stringify(draft))
}

export function readDraft(): Draft {
  try {
    return { ...EMPTY_DRAFT, ...JSON.parse(sessionStorage.getItem(KEY) ?? '{}') }
  } catch {
    return EMPTY_DRAFT
  }
}

/** Another one like a notification that was sent; without its key, or it would be recognised as the same. */
export function draftOf(record: RecordDetail): Draft {
  const { audience_kind, recipients, channels } = record
  const isAddresses = audience_kind === 'addresses'
  return {
    ...EMPTY_DRAFT,
    type: record.notification_type,
    // People in a relation to an event are, for a test, a list of people.
    audience: audience_kind === 'event' ? 'users' : audience_kind,
    people: isAddresses ? [] : recipients,
    addresses: isAddresses ? recipients.join('\n') : '',
    addressChannel: (isAddresses ? channels[0] : 'email') as Draft['addressChannel'],
    topic: record.topic ?? '',
    channels,
    payload: prettyJson(record.payload_json),
    producer: record.producer,
    reason: record.reason,
    template: record.template ?? '',
  }
}

/** What the form says, as the API takes it. Throws if the payload is no JSON. */
export function intentOf(draft: Draft): IntentInput {
  return {
    notification_type: draft.type.trim(),
    ...(draft.producer.trim() && { producer: draft.producer.trim() }),
    audience: audienceOf(draft),
    ...(draft.channels.length > 0 && draft.audience !== 'addresses' && { channels: draft.channels }),
    payload: JSON.parse(draft.payload),
    ...(draft.reason.trim() && { reason: draft.reason.trim() }),
    ...(draft.template.trim() && { template: draft.template.trim() }),
    ...(draft.sendAt && { send_at: timeOf(draft.sendAt) }),
    ...(draft.expiresAt && { expires_at: timeOf(draft.expiresAt) }),
    ...(draft.idempotencyKey.trim() && { idempotency_key: draft.idempotencyKey.trim() }),
  }
}

function audienceOf({ audience, people, addressChannel, addresses, topic }: Draft): IntentInput['audience'] {
  switch (audience) {
    case 'users':
      return { kind: audience, user_ids: people }
    case 'addresses':
      return {
        kind: audience,
        channel: addressChannel,
        addresses: addresses.split('\n').flatMap(line => line.trim() || []),
      }
    case 'topic':
      return { kind: audience, topic: topic.trim() }
    default:
      return { kind: audience }
  }
}

/** A payload to begin with: every field that the type requires, with a value of the likely form. */
export function starterOf({ required_fields }: Pick<NotificationType, 'required_fields'>): string {
  const fields = required_fields.length > 0 ? required_fields : ['title', 'body']
  return JSON.stringify(Object.fromEntries(fields.map(field => [field, sampleOf(field)])), null, 2)
}

const SAMPLES: [pattern: RegExp, value: unknown][] = [
  [/^title$/, 'Hello'],
  [/^body$/, 'A first test.'],
  [/(^|_)(url|link)$/, 'https://example.com'],
  [/(^|_)email$/, 'ada@example.com'],
  [/(^|_)(at|on|date|time)$/, '2026-01-31T09:30:00Z'],
  [/(^|_)(count|number|quantity|total)$/, 3],
  [/(^|_)(amount|price)$/, '42.00'],
  [/(^|_)(id|no)$/, '1042'],
  [/(^|_)(items|list|lines)$/, []],
  [/(^|_)(name|user|customer)$/, 'Ada'],
]

const sampleOf = (field: string): unknown =>
  SAMPLES.find(([pattern]) => pattern.test(field))?.[1] ?? field.replaceAll('_', ' ')

export interface Mistake {
  line: number
  column: number
  message: string
}

/** Where a text is no JSON object, if it is none. */
export function mistakeIn(text: string): Mistake | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? undefined : { line: 1, column: 1, message: 'The payload must be an object: { … }' }
  } catch (error) {
    const message = (error as Error).message
    return {
      ...placeIn(text, message),
      message: message
        .replace(/(?:,? at)?(?: position \d+)?(?: \(?(?:at )?line .*)?$/, '')
        .replace(/^JSON\.parse: /, ''),
    }
  }
}

/** Browsers say where in different ways: a line and a column, a position, or that the text ended. */
function placeIn(text: string, message: string): { line: number; column: number } {
  const [, line, column] = message.match(/line (\d+) column (\d+)/) ?? []
  if (line !== undefined) return { line: Number(line), column: Number(column) }
  const position = message.match(/position (\d+)/)?.[1]
  const before = position === undefined ? text : text.slice(0, Number(position))
  const lines = before.split('\n')
  return { line: lines.length, column: lines.at(-1)!.length + 1 }
}
