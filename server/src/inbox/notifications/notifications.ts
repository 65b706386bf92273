/** Writing in-app messages to the inbox. */
import { uuidv7 } from 'uuidv7'
import type { Message } from '../../content/messages/message.ts'
import { isDataError } from '../../platform/database/errors.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { createBatcher } from '../../platform/queue/batcher.ts'
import { cut } from '../../platform/text/cut.ts'

/** An inbox row shows a few lines; the record keeps the whole payload. */
const MAX_MESSAGE_BYTES = 4096

/** Writes inbox rows in batches; delivering the same route again changes nothing. */
export function createInboxWriter(pool: Pool): (message: Message) => Promise<void> {
  const batcher = createBatcher<Message, undefined>({
    flush: async messages => {
      await insertNotifications(pool, messages)
      return messages.map(() => undefined)
    },
    maxBatch: 500,
    // Retries one by one only after a data error: while the database is away, that would hold up the whole channel.
    isolates: isDataError,
  })
  return message => batcher.add(message)
}

async function insertNotifications(pool: Pool, messages: Message[]): Promise<void> {
  await pool.query(
    `insert into notifications (id, tenant_id, user_id, record_id, route_id, type, title, message)
     select id, tenant_id, user_id, record_id, route_id, type, title, message
     from jsonb_to_recordset($1::jsonb) as n (id uuid, tenant_id uuid, user_id text, record_id uuid, route_id text,
       type text, title text, message text)
     on conflict (tenant_id, record_id, route_id) do nothing`,
    [JSON.stringify(messages.map(toRow))],
  )
}

function toRow(message: Message) {
  return {
    id: uuidv7(),
    tenant_id: message.tenant_id,
    user_id: message.user_id,
    record_id: message.notification_id,
    route_id: message.route_id,
    type: message.notification_type,
    title: message.subject,
    message: cut(message.text, MAX_MESSAGE_BYTES, 'bytes'),
  }
}
