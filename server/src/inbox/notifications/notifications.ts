/** Writing in-app messages to the inbox. */
import { InboxActionDefinitions, PageAddress } from '@carillon/contract'
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
  const rows = messages.map(toRow)
  const [threaded, plain] = [rows.filter(isThreaded), rows.filter(row => !isThreaded(row))]
  if (plain.length > 0) await insertPlain(pool, plain)
  if (threaded.length > 0) await insertThreaded(pool, newestOfThreads(threaded))
}

const COLUMNS = `id, tenant_id, user_id, record_id, route_id, type, reason, title, message, topic, summary, actions`
const FROM_ROWS = `jsonb_to_recordset($1::jsonb) as n (id uuid, tenant_id uuid, user_id text, record_id uuid, route_id text,
  type text, reason text, title text, message text, topic text, summary jsonb, actions jsonb, thread_kind text,
  thread_id text, recent_records uuid[])`

async function insertPlain(pool: Pool, rows: Row[]): Promise<void> {
  await pool.query(
    `insert into notifications (${COLUMNS}) select ${COLUMNS} from ${FROM_ROWS}
     on conflict (tenant_id, record_id, route_id) do nothing`,
    [JSON.stringify(rows)],
  )
}

/** How many records a row remembers: far more than can be on their way twice. */
const REMEMBERED_RECORDS = 50
const UNKNOWN_RECORDS = `array(select r from unnest(excluded.recent_records) r where r <> all (n.recent_records))`

/**
 * As upsert_inbox() does it with events. What the row knows already changes nothing; the age of a record says nothing about
 * that, since a message may be sent long after it was accepted, and later ones before it.
 */
async function insertThreaded(pool: Pool, rows: Row[]): Promise<void> {
  await pool.query(
    `insert into notifications as n (${COLUMNS}, thread_kind, thread_id, recent_records, event_count)
     select ${COLUMNS}, thread_kind, thread_id, recent_records, cardinality(recent_records) from ${FROM_ROWS}
     order by tenant_id, user_id, thread_kind, thread_id
     on conflict (tenant_id, user_id, thread_kind, thread_id) where thread_id is not null do update set
       record_id = excluded.record_id, route_id = excluded.route_id, type = excluded.type, kind = '',
       reason = excluded.reason, title = excluded.title, message = excluded.message,
       topic = coalesce(excluded.topic, n.topic), summary = n.summary || excluded.summary, actions = excluded.actions,
       answer = null, event_count = n.event_count + cardinality(${UNKNOWN_RECORDS}),
       recent_records = (${UNKNOWN_RECORDS} || n.recent_records)[:${REMEMBERED_RECORDS}], last_event_at = now(),
       is_read = false, read_at = null, done_at = null, deleted_at = null,
       snoozed_until = case when n.snoozed_until > now() then n.snoozed_until end, event_version = excluded.event_version
     where not excluded.recent_records <@ n.recent_records`,
    [JSON.stringify(rows)],
  )
}

type Row = ReturnType<typeof toRow>

function toRow(message: Message) {
  return {
    id: uuidv7(),
    tenant_id: message.tenant_id,
    user_id: message.user_id,
    record_id: message.notification_id,
    route_id: message.route_id,
    type: message.notification_type,
    reason: message.reason,
    title: message.subject,
    message: cut(message.text, MAX_MESSAGE_BYTES, 'bytes'),
    topic: message.topic,
    thread_kind: message.thread?.kind ?? null,
    thread_id: message.thread?.id ?? null,
    recent_records: [message.notification_id],
    ...shownOf(message.payload),
  }
}

const isThreaded = ({ thread_id }: Row): boolean => thread_id !== null

/** One statement cannot change a row twice, so of several messages about one thread it gets the last, and all their records. */
function newestOfThreads(rows: Row[]): Row[] {
  const newest = new Map<string, Row>()
  for (const row of rows) {
    const key = JSON.stringify([row.tenant_id, row.user_id, row.thread_kind, row.thread_id])
    const other = newest.get(key)
    const last = other === undefined || other.record_id < row.record_id ? row : other
    const records = new Set([row.record_id, ...(other?.recent_records ?? [])])
    newest.set(key, { ...last, recent_records: [...records] })
  }
  return [...newest.values()]
}

/** What the payload says about how it is shown. Producers may send anything, so what does not fit is left out. */
function shownOf(payload: unknown): { summary: object; actions: object[] | null } {
  const { url, icon, actions } = (payload ?? {}) as Record<string, unknown>
  const [page, image, buttons] = [
    PageAddress.safeParse(url),
    PageAddress.safeParse(icon),
    InboxActionDefinitions.safeParse(actions ?? []),
  ]
  return {
    summary: { ...(page.success && { url: page.data }), ...(image.success && { icon: image.data }) },
    actions: buttons.success && buttons.data.length > 0 ? buttons.data : null,
  }
}
