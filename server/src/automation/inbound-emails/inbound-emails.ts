/** A mail that came in: finds whom it is for, and fires the triggers of their addresses. */
import { listAddresses } from '../../people/addresses/addresses.ts'
import { Refusal } from '../../platform/calls/refusal.ts'
import type { Pool } from '../../platform/database/pool.ts'
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

/** Returns how many triggers it fired. */
export async function receiveMail(
  pool: Pool,
  tenantId: string,
  { mail, envelope, origin }: ReceivedMail,
): Promise<number> {
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
  return fireTriggers(pool, tenantId, happening, { origin })
}

function refuseNobody(): Refusal {
  const message = 'The mail names no recipient. Give those of its envelope.'
  return new Refusal('invalid_request', `to: ${message}`, [{ field: 'to', message }])
}
