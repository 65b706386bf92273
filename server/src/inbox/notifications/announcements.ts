/** Notifications for everybody. What each person does with them is in receipts. */
import type { NewNotification, Notification } from '@carillon/contract'
import { uuidv7 } from 'uuidv7'
import type { Executor } from '../../platform/database/pool.ts'
import { type InboxRow, urlIn } from './item.ts'

export type AnnouncementRow = Pick<
  InboxRow,
  'id' | 'type' | 'title' | 'message' | 'summary' | 'actions' | 'expires_at' | 'created_at'
>

const COLUMNS = 'id, type, title, message, summary, actions, expires_at, created_at'

export async function insertAnnouncement(
  tx: Executor,
  tenantId: string,
  { type, title, message = '', url, actions = [], expires_at }: NewNotification,
): Promise<AnnouncementRow> {
  const { rows } = await tx.query<AnnouncementRow>(
    `insert into notifications (id, tenant_id, type, title, message, summary, actions, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8) returning ${COLUMNS}`,
    [
      uuidv7(),
      tenantId,
      type,
      title,
      message,
      JSON.stringify(url === undefined ? {} : { url }),
      actions.length === 0 ? null : JSON.stringify(actions),
      expires_at ?? null,
    ],
  )
  return rows[0]!
}

/** Marked and not deleted, so that clients learn of it. */
export async function takeBackAnnouncement(
  tx: Executor,
  tenantId: string,
  id: string,
): Promise<AnnouncementRow | undefined> {
  const { rows } = await tx.query<AnnouncementRow>(
    `update notifications set deleted_at = now()
     where tenant_id = $1 and id = $2 and user_id is null and deleted_at is null returning ${COLUMNS}`,
    [tenantId, id],
  )
  return rows[0]
}

export async function selectAnnouncements(
  db: Executor,
  tenantId: string,
  after: (string | number)[] | undefined,
  limit: number,
): Promise<(AnnouncementRow & { last_event_at: Date })[]> {
  const { rows } = await db.query<AnnouncementRow & { last_event_at: Date }>(
    `select ${COLUMNS}, last_event_at from notifications n
     where n.tenant_id = $1 and n.user_id is null and n.deleted_at is null
       and (n.expires_at is null or n.expires_at > now())
       and ($2::timestamptz is null or (n.last_event_at, n.id) < ($2, $3::uuid))
     order by n.last_event_at desc, n.id desc limit $4`,
    [tenantId, after?.[0] ?? null, after?.[1] ?? null, limit],
  )
  return rows
}

export function toNotification({ summary, actions, ...row }: AnnouncementRow): Notification {
  const { id, type, title, message, expires_at, created_at } = row
  return {
    id,
    type,
    title,
    message,
    url: urlIn(summary),
    actions: actions ?? [],
    expires_at: expires_at?.toISOString() ?? null,
    created_at: created_at.toISOString(),
  }
}
