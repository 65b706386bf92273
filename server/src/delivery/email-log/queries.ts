/** The SQL of the email log. */
import type { ThreadRef } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'

export interface LoggedEmailRow {
  /** Numbers of 64 bits come as text. */
  id: string
  user_id: string
  record_id: string
  route_id: string
  notification_id: string | null
  thread: ThreadRef | null
  message_id: string
  sent_at: Date
}

/** Newest first. Mails that are on their way are not in it yet. */
export async function selectLoggedEmails(
  db: Executor,
  tenantId: string,
  query: { user_id: string; after: (string | number)[] | undefined; limit: number },
): Promise<LoggedEmailRow[]> {
  const { rows } = await db.query<LoggedEmailRow>(
    `select id, user_id, record_id, route_id, notification_id, message_id, sent_at,
       case when thread_id is not null then jsonb_build_object('kind', thread_kind, 'id', thread_id) end as thread
     from notification_email_log
     where tenant_id = $1 and user_id = $2 and sent_at is not null
       and ($3::timestamptz is null or (counted_at, id) < ($3, $4::bigint))
     order by counted_at desc, id desc limit $5`,
    [tenantId, query.user_id, query.after?.[0] ?? null, query.after?.[1] ?? null, query.limit],
  )
  return rows
}
