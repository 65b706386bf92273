/** The SQL of replies. */
import type { Executor } from '../../platform/database/pool.ts'

export interface AnsweredMailRow {
  user_id: string
  thread_kind: string
  thread_id: string
  topic: string | null
  /** Whether the person may still see what it is about. Nobody sees a thread of a topic once it is deleted. */
  may_see: boolean
  reply_event_kind: string | null
}

export async function selectReplyDomain(db: Executor, tenantId: string): Promise<string | null> {
  const { rows } = await db.query<{ reply_domain: string | null }>(
    'select reply_domain from tenant_settings where tenant_id = $1',
    [tenantId],
  )
  return rows[0]?.reply_domain ?? null
}

/** undefined once the log no longer has the mail, or its person is gone. */
export async function selectAnsweredMail(
  db: Executor,
  tenantId: string,
  messageId: string,
): Promise<AnsweredMailRow | undefined> {
  const { rows } = await db.query<AnsweredMailRow>(
    `select l.user_id, l.thread_kind, l.thread_id, h.topic, may_see(l.tenant_id, coalesce(h.topic, l.topic), l.user_id)
         and (h.id is not null or l.topic is null) as may_see,
       s.reply_event_kind
     from notification_email_log l
     join tenant_settings s on s.tenant_id = l.tenant_id
     left join threads h on h.tenant_id = l.tenant_id and h.kind = l.thread_kind and h.id = l.thread_id
     where l.tenant_id = $1 and l.message_id = $2 and l.thread_id is not null`,
    [tenantId, messageId],
  )
  return rows[0]
}
