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

/** Its key makes its id, so a repeat cannot be another row. undefined if there is one already. */
export async function insertAnnouncement(
  tx: Executor,
  tenantId: string,
  announcement: NewNotification,
): Promise<AnnouncementRow | undefined> {
  const { rows } = await tx.query<AnnouncementRow>(
    `insert into notifications (id, tenant_id, type, title, message, summary, actions, expires_at)
     values (coalesce(${KEYED_ID}, $3), $1, $4, $5, $6, $7, $8, $9)
     on conflict do nothing returning ${COLUMNS}`,
    [tenantId, announcement.idempotency_key ?? null, uuidv7(), ...valuesOf(announcement)],
  )
  return rows[0]
}

/** What an earlier request with the same key made, and whether it said the same. */
export async function selectAnnouncementByKey(
  db: Executor,
  tenantId: string,
  announcement: NewNotification,
): Promise<(AnnouncementRow & { is_same: boolean }) | undefined> {
  const { rows } = await db.query<AnnouncementRow & { is_same: boolean }>(
    `select ${COLUMNS}, (type, title, message, summary, actions, expires_at) is not distinct from
       ($3::text, $4::text, $5::text, $6::jsonb, $7::jsonb, $8::timestamptz(3)) as is_same
     from notifications where tenant_id = $1 and id = ${KEYED_ID} and user_id is null`,
    [tenantId, announcement.idempotency_key ?? null, ...valuesOf(announcement)],
  )
  return rows[0]
}

/** null without a key. */
const KEYED_ID = "derived_uuid(format('notification %s ', $1::uuid) || $2::text)"

function valuesOf({ type, title, message = '', url, actions = [], expires_at }: NewNotification): unknown[] {
  return [
    type,
    title,
    message,
    JSON.stringify(url === undefined ? {} : { url }),
    actions.length === 0 ? null : JSON.stringify(actions),
    expires_at ?? null,
  ]
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
