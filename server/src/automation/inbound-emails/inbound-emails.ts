/** A mail that came in: finds whom it is for, fires the triggers of their addresses, and takes replies to threads. */
import type { InboundEmailAnswer } from '@carillon/contract'
import { type ReplyParts, readReplies } from '../../events/replies/replies.ts'
import { listAddresses } from '../../people/addresses/addresses.ts'
import { Refusal } from '../../platform/calls/refusal.ts'
import { storable } from '../../platform/text/cut.ts'
import { fireTriggers } from '../triggers/triggers.ts'
import { dataOf, MAX_ADDRESS_LENGTH, namedRecipients } from './mail-event.ts'
import type { ParsedMail } from './parse-mail.ts'

const MAX_RECIPIENTS = 500

export interface ReceivedMail {
  mail: ParsedMail
  /** Of the envelope, if it is known: only that has blind copies. */
  envelope: string[]
  /** Who passed it on. */
  origin: string
}

export async function receiveMail(
  parts: ReplyParts,
  tenantId: string,
  { mail, envelope, origin }: ReceivedMail,
): Promise<InboundEmailAnswer> {
  const { pool } = parts
  const named = envelope.length > 0 ? envelope : namedRecipients(mail)
  if (named.length === 0) throw refuseNobody()
  const written = named.slice(0, MAX_RECIPIENTS).map(address => storable(address, MAX_ADDRESS_LENGTH))
  const recipients = await listAddresses(pool, 'email', written)
  const happening = {
    kind: 'email',
    subject: { addresses: recipients },
    op: 'receive',
    payload: dataOf(mail, recipients),
  } as const
  const { replies, refused } = await readReplies(parts, tenantId, mail, recipients)
  const matched = await fireTriggers(pool, tenantId, happening, { origin })
  if (refused.length > 0 && replies.length === 0 && matched === 0) throw refuseReply()
  return replies.length === 0 ? { matched } : { matched, replies }
}

function refuseReply(): Refusal {
  const message = 'It was not given to anybody to reply to, or the mail or its thread is gone.'
  return new Refusal('invalid_request', `to: ${message}`, [{ field: 'to', message }])
}

function refuseNobody(): Refusal {
  const message = 'The mail names no recipient. Give those of its envelope.'
  return new Refusal('invalid_request', `to: ${message}`, [{ field: 'to', message }])
}
