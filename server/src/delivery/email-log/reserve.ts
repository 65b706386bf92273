/** Counts mails about threads and events before they are sent, and says which ones are too many. */
import type { ThreadRef } from '@carillon/contract'
import { messageId } from '../../content/messages/message-id.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { createBatcher } from '../../platform/queue/batcher.ts'

/** What there is too much of: mails about the thread, or mails in an hour. */
export type Refused = 'thread' | 'hour'

export interface MailToReserve {
  route: { tenant_id: string; notification_id: string; route_id: string; user_id: string | null }
  thread: ThreadRef | null
  /** It is counted, and never refused. */
  isExempt: boolean
  /** For simulation: when it would be sent, if not now. */
  at: Date | undefined
}

export type ReserveMail = (mail: MailToReserve) => Promise<Refused | null>

/** Each person in a batch is a lock, and those of all connections together have to fit into PostgreSQL's table of them. */
const MAX_BATCH = 200

/** Mails that are due together are asked about in one statement. */
export function createMailReservations(db: Pool | Client): ReserveMail {
  const batcher = createBatcher<MailToReserve, Refused | null>({
    flush: mails => reserveMails(db, mails),
    maxBatch: MAX_BATCH,
  })
  return mail => batcher.add(mail)
}

export async function reserveMails(db: Pool | Client, mails: MailToReserve[]): Promise<(Refused | null)[]> {
  const { rows } = await db.query<{ ord: number; refused: Refused | null }>({
    name: 'reserve_mails',
    text: 'select ord, refused from reserve_mails($1::jsonb)',
    values: [JSON.stringify(mails.map(toRow))],
  })
  const answers = new Map(rows.map(row => [row.ord, row.refused]))
  return mails.map((_, ord) => answers.get(ord) ?? null)
}

function toRow({ route, thread, isExempt, at }: MailToReserve, ord: number) {
  const { tenant_id, notification_id, route_id, user_id } = route
  return {
    ord,
    tenant_id,
    user_id,
    notification_id,
    route_id,
    thread_kind: thread?.kind,
    thread_id: thread?.id,
    message_id: messageId(notification_id, route_id),
    exempt: isExempt,
    at,
  }
}
