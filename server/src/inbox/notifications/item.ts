/** One row of an inbox: as it is read, for a person or for everybody, and as the API shows it. */
import type { InboxAction, InboxItem } from '@carillon/contract'

export interface InboxRow {
  id: string
  is_for_everybody: boolean
  record_id: string | null
  type: string
  kind: string
  reason: string
  title: string
  message: string
  topic: string | null
  thread_kind: string | null
  thread_id: string | null
  summary: Record<string, unknown>
  event_count: number
  last_event_at: Date
  last_actor_id: string | null
  actions: InboxAction[] | null
  answer: { action: string; answered_at: string } | null
  is_read: boolean
  read_at: Date | null
  done_at: Date | null
  saved_at: Date | null
  snoozed_until: Date | null
  expires_at: Date | null
  deleted_at: Date | null
  created_at: Date
  updated_at: Date
}

const CONTENT = `n.id, n.record_id, n.type, n.kind, n.reason, n.title, n.message, n.topic, n.thread_kind, n.thread_id,
  n.summary, n.event_count, n.last_event_at, n.last_actor_id, n.actions, n.expires_at, n.created_at, n.event_version`

/** The rows of a person; both are names or parameters of the statement. */
export const ownOf = (
  tenant: string,
  user: string,
) => `select ${CONTENT}, false as is_for_everybody, n.answer, n.is_read, n.read_at, n.done_at, n.saved_at,
    n.snoozed_until, n.deleted_at, n.updated_at, n.version
  from notifications n where n.tenant_id = ${tenant} and n.user_id = ${user}`

/** What is everybody's, as the person left it. */
export const everybodysOf = (
  tenant: string,
  user: string,
) => `select ${CONTENT}, true as is_for_everybody, r.answer, coalesce(r.is_read, false) as is_read,
    r.read_at, r.done_at, r.saved_at, r.snoozed_until, coalesce(n.deleted_at, r.deleted_at) as deleted_at,
    greatest(n.updated_at, r.updated_at) as updated_at, greatest(n.version, r.version) as version
  from notifications n
  left join notification_receipts r on r.tenant_id = ${tenant} and r.user_id = ${user} and r.notification_id = n.id
  where n.tenant_id = ${tenant} and n.user_id is null`

/** Those of the person $2 of the tenant $1. */
export const OWN = ownOf('$1', '$2')
export const EVERYBODYS = everybodysOf('$1', '$2')

export const IS_SHOWN = 'i.deleted_at is null and (i.expires_at is null or i.expires_at > now())'
export const IS_AWAKE = '(i.snoozed_until is null or i.snoozed_until <= now())'
/** What the badge counts. */
export const IS_UNREAD = `not i.is_read and i.done_at is null and ${IS_SHOWN} and ${IS_AWAKE}`

export function toItem(row: InboxRow): InboxItem {
  return {
    id: row.id,
    is_for_everybody: row.is_for_everybody,
    notification_id: row.record_id,
    type: row.type,
    kind: row.kind,
    reason: row.reason,
    title: row.title,
    message: row.message,
    url: urlIn(row.summary),
    topic: row.topic,
    thread: row.thread_kind === null ? null : { kind: row.thread_kind, id: row.thread_id! },
    summary: row.summary,
    event_count: row.event_count,
    last_event_at: row.last_event_at.toISOString(),
    last_actor_id: row.last_actor_id,
    actions: (row.actions ?? []).map(toAction),
    answer: row.answer,
    is_read: row.is_read,
    read_at: isoOrNull(row.read_at),
    done_at: isoOrNull(row.done_at),
    saved_at: isoOrNull(row.saved_at),
    snoozed_until: isoOrNull(row.snoozed_until),
    expires_at: isoOrNull(row.expires_at),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

export function urlIn({ url }: InboxRow['summary']): string | null {
  return typeof url === 'string' ? url : null
}

const isoOrNull = (time: Date | null): string | null => time?.toISOString() ?? null

function toAction({ id, label, url, event_kind }: InboxAction): InboxAction {
  return { id, label, url: url ?? null, event_kind: event_kind ?? null }
}
