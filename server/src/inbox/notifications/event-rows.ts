/** The inbox rows that tell of an event: one per person, that of its thread or one of its own. */
import type { InboxTrace } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'

export interface EventInboxRow {
  id: string
  user_id: string
  /** The event is the last that the row tells of. */
  is_latest: boolean
  reason: string
  /** In which the person stood to the last event that the row tells of. */
  relation: string | null
  event_count: number
  is_read: boolean
  read_at: Date | null
  done_at: Date | null
  saved_at: Date | null
  snoozed_until: Date | null
  deleted_at: Date | null
}

const ROW = `n.id, n.user_id, n.source_event_id = $3 as is_latest, n.reason, n.summary ->> 'relation' as relation,
  n.event_count, n.is_read, n.read_at, n.done_at, n.saved_at, n.snoozed_until, n.deleted_at`

/** Rows that later events have updated are among them; those that have not seen this one are not. */
export async function rowsOfEvent(
  db: Executor,
  tenantId: string,
  /** `id` is the event's place in the log, as text: it may be larger than numbers can be. */
  event: { id: string; thread_kind: string | null; thread_id: string | null },
  userIds: string[],
): Promise<EventInboxRow[]> {
  const { rows } =
    event.thread_id === null
      ? await db.query<EventInboxRow>(
          `select ${ROW} from notifications n
           where n.tenant_id = $1 and n.user_id = any ($2::text[]) and n.source_event_id = $3 and n.thread_id is null`,
          [tenantId, userIds, event.id],
        )
      : await db.query<EventInboxRow>(
          `select ${ROW} from notifications n
           where n.tenant_id = $1 and n.user_id = any ($2::text[]) and n.source_event_id >= $3
             and n.thread_kind = $4 and n.thread_id = $5`,
          [tenantId, userIds, event.id, event.thread_kind, event.thread_id],
        )
  return rows
}

/** A row as explanations show it. */
export function toInboxTrace(row: EventInboxRow): InboxTrace {
  return {
    id: row.id,
    is_latest: row.is_latest,
    event_count: row.event_count,
    is_read: row.is_read,
    done_at: row.done_at?.toISOString() ?? null,
    saved_at: row.saved_at?.toISOString() ?? null,
    snoozed_until: row.snoozed_until?.toISOString() ?? null,
    is_hidden: row.deleted_at !== null,
    text: textOf(row),
  }
}

function textOf(row: EventInboxRow): string {
  const states = [
    row.is_read ? `read${row.read_at === null ? '' : ` at ${row.read_at.toISOString()}`}` : 'unread',
    ...(row.done_at === null ? [] : [`done at ${row.done_at.toISOString()}`]),
    ...(row.saved_at === null ? [] : ['saved']),
    ...(row.snoozed_until === null ? [] : [`snoozed until ${row.snoozed_until.toISOString()}`]),
    ...(row.deleted_at === null ? [] : [`removed at ${row.deleted_at.toISOString()}`]),
  ]
  const count = row.event_count === 1 ? '' : ` The row tells of ${row.event_count} events.`
  const later = row.is_latest ? '' : ' Later events have updated it since.'
  return `In the inbox, ${states.join(', ')}.${count}${later}`
}
