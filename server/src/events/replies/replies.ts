/** Replies by mail: what a person answers to a mail about a thread becomes an event, as if they had written it there. */
import { createHash } from 'node:crypto'
import { type EmailReply, type EmittedEvent, MAX_EVENT_PAYLOAD_BYTES } from '@carillon/contract'
import { isReplyAddress, readReplyAddress } from '../../content/signed-links/reply-addresses.ts'
import { Refusal } from '../../platform/calls/refusal.ts'
import type { Pool } from '../../platform/database/pool.ts'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { cut, storable } from '../../platform/text/cut.ts'
import { toStorableJson } from '../../platform/text/storable-json.ts'
import { type EventWriter, findEventByKey } from '../domain-events/append.ts'
import type { CheckedEvent } from '../domain-events/event.ts'
import { isAutomatic, type MailHeader } from './automatic.ts'
import { cutQuote } from './cut-quote.ts'
import { type AnsweredMailRow, selectAnsweredMail, selectReplyDomain } from './queries.ts'

/** What a reply needs to know of a mail. */
export interface ReplyMail {
  from: { address?: string } | null
  subject: string
  text: string | null
  text_of_html: string | null
  message_id: string | null
  headers: MailHeader[]
}

export interface ReplyParts {
  pool: Pool
  keyring: Keyring
  events: EventWriter
}

type KeyedEvent = CheckedEvent & { idempotency_key: string }

export interface ReadReplies {
  replies: EmailReply[]
  /** Addresses that look like ours and are not, or are no longer. */
  refused: string[]
}

const PRODUCER = 'email'
const MAX_SUBJECT_LENGTH = 200
const MAX_ADDRESS_LENGTH = 320
const MAX_SOURCE_LENGTH = 200
/** Leaves room for the names of the fields and for the other texts. */
const MAX_TEXT_BYTES = MAX_EVENT_PAYLOAD_BYTES - 700

/** The token is what proves who writes: mail programs let people choose any sender. */
export async function readReplies(
  parts: ReplyParts,
  tenantId: string,
  mail: ReplyMail,
  recipients: string[],
): Promise<ReadReplies> {
  const domain = await selectReplyDomain(parts.pool, tenantId)
  const addressed = new Set(
    recipients
      .map(address => address.toLowerCase())
      .filter(address => domain && isReplyAddress(address, domain)),
  )
  const read: ReadReplies = { replies: [], refused: [] }
  for (const address of addressed) {
    const answered = await findAnswered(parts, tenantId, address)
    if (answered === undefined) read.refused.push(address)
    else read.replies.push(await reply(parts, tenantId, mail, answered, address))
  }
  return read
}

async function findAnswered(
  { pool, keyring }: ReplyParts,
  tenantId: string,
  address: string,
): Promise<AnsweredMailRow | undefined> {
  const messageId = readReplyAddress(keyring, tenantId, address)
  const found = messageId === undefined ? undefined : await selectAnsweredMail(pool, tenantId, messageId)
  return found?.may_see ? found : undefined
}

async function reply(
  parts: ReplyParts,
  tenantId: string,
  mail: ReplyMail,
  { user_id, thread_kind, thread_id, topic, reply_event_kind }: AnsweredMailRow,
  address: string,
): Promise<EmailReply> {
  if (isAutomatic(mail.headers, mail.from?.address ?? '')) return { status: 'ignored', reason: 'automatic' }
  const text = cutQuote(mail.text_of_html ?? mail.text ?? '')
  if (text === '') return { status: 'ignored', reason: 'empty' }
  const thread = { kind: thread_kind, id: thread_id }
  const emitted = await appendOnce(parts, {
    tenant_id: tenantId,
    kind: reply_event_kind ?? `${thread_kind}_comment_created`,
    producer: PRODUCER,
    actor_id: user_id,
    topic,
    thread,
    source_kind: 'email',
    source_id: storable(mail.message_id ?? '', MAX_SOURCE_LENGTH),
    is_public: true,
    relations: null,
    payload_json: payloadOf(mail, text),
    idempotency_key: keyOf(mail, text, address),
    request_id: '',
    traceparent: '',
    occurred_at: null,
  })
  return { status: 'accepted', ...emitted, user_id, thread }
}

/**
 * The same mail may come in twice with small differences: what a gateway puts into the subject, what a list puts below. The
 * first one counts, as the mail server can do nothing about the second.
 */
async function appendOnce({ events, pool }: ReplyParts, event: KeyedEvent): Promise<EmittedEvent> {
  try {
    return await events.append(event)
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'idempotency_conflict') throw error
    const first = await findEventByKey(pool, event)
    if (first === undefined) throw error
    return { event_id: first, duplicate: true }
  }
}

function payloadOf({ subject, from }: ReplyMail, text: string): string {
  const whole = cut(text, MAX_TEXT_BYTES, 'json')
  return toStorableJson({
    text: whole,
    truncated: whole !== text,
    subject: cut(subject, MAX_SUBJECT_LENGTH, 'json'),
    from: cut(from?.address ?? '', MAX_ADDRESS_LENGTH, 'json'),
  })
}

/** A mail server that got no answer sends the mail once more. */
function keyOf({ message_id }: ReplyMail, text: string, address: string): string {
  const hash = createHash('sha256').update(JSON.stringify([address, message_id ?? text]))
  return `reply:${hash.digest('hex')}`
}
