/**
 * Replies to callers who wait for a script. A reply is either left in the caller's inbox, or, if the caller has gone, kept
 * as an abandoned execution: never both, because the inbox's row is locked by whoever comes first.
 */
import { uuidv7 } from 'uuidv7'
import type { Executor } from '../../platform/database/pool.ts'
import { storable } from '../../platform/text/cut.ts'
import { insertAbandoned, type StoredReply, updateInbox } from './queries.ts'

const SUMMARY_MAX_LENGTH = 1000

export interface Reply extends StoredReply {
  outbox_id: string
  script_id: string | null
}

/** Call it in the transaction of what the reply is about. An inbox that is unknown or has expired is one nobody reads. */
export async function storeReply(
  tx: Executor,
  tenantId: string,
  inboxId: string,
  reply: Reply,
): Promise<'stored' | 'abandoned'> {
  if (await updateInbox(tx, { tenant_id: tenantId, id: inboxId }, reply)) return 'stored'
  await keepAbandoned(tx, tenantId, inboxId, reply)
  return 'abandoned'
}

export async function keepAbandoned(
  db: Executor,
  tenantId: string,
  inboxId: string,
  { outbox_id, script_id, status_code, reply_json }: Reply,
): Promise<void> {
  await insertAbandoned(db, tenantId, {
    id: uuidv7(),
    outbox_id,
    script_id,
    inbox_id: inboxId,
    status_code,
    summary: storable(reply_json, SUMMARY_MAX_LENGTH),
  })
}
