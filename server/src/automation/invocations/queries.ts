/** The SQL of reply inboxes and abandoned executions. */
import type { Executor } from '../../platform/database/pool.ts'
import type { NewOutboxRow } from '../../reactions/outbox/enqueue.ts'

export interface InboxKey {
  tenant_id: string
  id: string
}

export interface StoredReply {
  status_code: number
  reply_json: string
}

export async function insertInbox(
  db: Executor,
  inbox: InboxKey & { outbox_id: string; script_id: string; expires_in_ms: number },
): Promise<void> {
  await db.query(
    `insert into reply_inboxes (tenant_id, id, outbox_id, script_id, expires_at)
     values ($1, $2, $3, $4, now() + make_interval(secs => $5::float8 / 1000))`,
    [inbox.tenant_id, inbox.id, inbox.outbox_id, inbox.script_id, inbox.expires_in_ms],
  )
}

/** Returns whether somebody may still be waiting. The lock makes this and the caller's leaving happen one after the other. */
export async function updateInbox(
  db: Executor,
  { tenant_id, id }: InboxKey,
  reply: StoredReply,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update reply_inboxes set status_code = $3, reply_json = $4, replied_at = now()
     where tenant_id = $1 and id = $2 and expires_at > now()`,
    [tenant_id, id, reply.status_code, reply.reply_json],
  )
  return rowCount === 1
}

/** Takes the replies that have come out of their inboxes, in one statement for all who wait. */
export async function takeReplies(
  db: Executor,
  inboxes: InboxKey[],
): Promise<(StoredReply & { id: string })[]> {
  const { rows } = await db.query<StoredReply & { id: string }>(
    `delete from reply_inboxes i using unnest($1::uuid[], $2::uuid[]) as w (tenant_id, id)
     where i.tenant_id = w.tenant_id and i.id = w.id and i.replied_at is not null
     returning i.id, i.status_code, i.reply_json`,
    [inboxes.map(inbox => inbox.tenant_id), inboxes.map(inbox => inbox.id)],
  )
  return rows
}

/** Gives up an inbox. A reply that came at the last moment is returned. */
export async function deleteInbox(
  db: Executor,
  { tenant_id, id }: InboxKey,
): Promise<StoredReply | undefined> {
  const { rows } = await db.query<{ status_code: number | null; reply_json: string | null }>(
    'delete from reply_inboxes where tenant_id = $1 and id = $2 returning status_code, reply_json',
    [tenant_id, id],
  )
  const [row] = rows
  return row?.status_code == null ? undefined : (row as StoredReply)
}

/** How often and when to try again what no trigger has a policy for. */
export async function selectDefaultPolicy(db: Executor, tenantId: string): Promise<RetryPolicy> {
  const { rows } = await db.query<RetryPolicy>(
    `select trigger_max_attempts as max_attempts, trigger_backoff as backoff, trigger_base_ms as base_ms
     from tenant_settings where tenant_id = $1`,
    [tenantId],
  )
  return rows[0]!
}

type RetryPolicy = Required<Pick<NewOutboxRow, 'max_attempts' | 'backoff' | 'base_ms'>>

export interface AbandonedRow {
  id: string
  outbox_id: string
  script_id: string | null
  inbox_id: string
  status_code: number
  summary: string
  created_at: Date
}

export async function insertAbandoned(
  db: Executor,
  tenantId: string,
  row: Omit<AbandonedRow, 'created_at'>,
): Promise<void> {
  await db.query(
    `insert into abandoned_executions (tenant_id, id, outbox_id, script_id, inbox_id, status_code, summary)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [tenantId, row.id, row.outbox_id, row.script_id, row.inbox_id, row.status_code, row.summary],
  )
}

export async function selectAbandoned(
  db: Executor,
  tenantId: string,
  page: { after: (string | number)[] | undefined; limit: number },
): Promise<AbandonedRow[]> {
  const { rows } = await db.query<AbandonedRow>(
    `select id, outbox_id, script_id, inbox_id, status_code, summary, created_at from abandoned_executions
     where tenant_id = $1 and ($2::timestamptz is null or (created_at, id) < ($2, $3::uuid))
     order by created_at desc, id desc limit $4`,
    [tenantId, page.after?.[0] ?? null, page.after?.[1] ?? null, page.limit],
  )
  return rows
}
