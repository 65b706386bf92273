/** Rows for inboxes in tests, written as they are: some have what no producer could send. */
import type pg from 'pg'

export interface RowInput {
  title: string
  [column: string]: unknown
}

/** The first is the newest; they are a minute apart unless they say when they were. */
export async function addRows(pool: pg.Pool, user: string, rows: RowInput[]): Promise<void> {
  const timed = rows.map((row, i) => ({
    type: 'hello',
    message: '',
    summary: {},
    event_count: 1,
    last_event_at: new Date(Date.now() - i * 60_000),
    reason: '',
    ...row,
  }))
  await pool.query(
    `insert into notifications (id, tenant_id, user_id, type, title, message, topic, summary, thread_kind, thread_id,
       actions, event_count, last_event_at, is_read, read_at, reason)
     select uuid_v7(), t.id, $1, r.type, r.title, r.message, r.topic, r.summary, r.thread_kind, r.thread_id, r.actions,
       r.event_count, r.last_event_at, coalesce(r.is_read, false), case when r.is_read then now() end, r.reason
     from (select id from tenants order by created_at limit 1) t, jsonb_to_recordset($2::jsonb) as r (type text, title text,
       message text, topic text, summary jsonb, thread_kind text, thread_id text, actions jsonb, event_count integer,
       last_event_at timestamptz, is_read boolean, reason text)`,
    [user, JSON.stringify(timed)],
  )
}

/** What the person did, by title. */
export async function statesOf(pool: pg.Pool, user: string): Promise<Record<string, string>> {
  const { rows } = await pool.query(
    `select title, concat_ws(' ', case when is_read then 'read' end, case when done_at is not null then 'done' end,
       case when saved_at is not null then 'saved' end, case when snoozed_until is not null then 'snoozed' end,
       answer ->> 'action') as state
     from notifications where user_id = $1`,
    [user],
  )
  return Object.fromEntries(rows.map(({ title, state }) => [title, state]))
}
