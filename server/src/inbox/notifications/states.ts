/** What a person can do with a row of the inbox, each as one statement for rows of their own and for receipts. */
import type { InboxActionName } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'
import type { InboxOwner } from './owner.ts'
import { snapshotOf } from './version.ts'

export type StateChange = InboxActionName | 'snooze'

interface Transition {
  /** What it sets; `s` has the person's state: their row, or their receipt. $5 is the time of a snooze. */
  set: string
  /** Rows for which it changes something, so that a repeat changes nothing. */
  where: string
  /** Leaves alone what an event has changed since the person looked. */
  concernsEvents: boolean
}

const TRANSITIONS: Record<StateChange, Transition> = {
  read: { set: 'is_read = true, read_at = now()', where: 'not s.is_read', concernsEvents: true },
  unread: { set: 'is_read = false, read_at = null', where: 's.is_read', concernsEvents: false },
  // What is done has been read: a badge would count what no list shows.
  done: {
    set: 'done_at = now(), is_read = true, read_at = coalesce(s.read_at, now()), snoozed_until = null',
    where: 's.done_at is null',
    concernsEvents: true,
  },
  undone: { set: 'done_at = null', where: 's.done_at is not null', concernsEvents: false },
  save: { set: 'saved_at = now()', where: 's.saved_at is null', concernsEvents: false },
  unsave: { set: 'saved_at = null', where: 's.saved_at is not null', concernsEvents: false },
  snooze: {
    set: 'snoozed_until = $5::timestamptz',
    where: 's.snoozed_until is distinct from $5::timestamptz(3)',
    concernsEvents: true,
  },
  unsnooze: { set: 'snoozed_until = null', where: 's.snoozed_until is not null', concernsEvents: false },
  hide: { set: 'deleted_at = now(), saved_at = null', where: 's.deleted_at is null', concernsEvents: true },
}

const IS_SEEN = `($4::text is null or pg_visible_in_snapshot(n.event_version::text::xid8, ${snapshotOf('$4')}))`
const IS_SHOWN = 'n.deleted_at is null and (n.expires_at is null or n.expires_at > now())'

export interface ChangeOptions {
  /** What the person looked at. */
  seenVersion?: string | undefined
  /** Of a snooze. */
  until?: string | undefined
}

/**
 * One row per statement, and each on its own: a fan-out holds many rows of one person until it commits, so whoever held
 * one of them while waiting for another could wait for ever. A row that is locked is judged anew once it is free.
 */
export async function changeState(
  db: Executor,
  { tenantId, userId }: InboxOwner,
  row: { id: string; is_for_everybody: boolean },
  change: StateChange,
  { seenVersion, until }: ChangeOptions = {},
): Promise<void> {
  const seen = TRANSITIONS[change].concernsEvents ? seenVersion : undefined
  const values = [tenantId, userId, row.id, seen ?? null, ...(change === 'snooze' ? [until] : [])]
  if (!row.is_for_everybody) return changeOwn(db, change, values)
  await insertReceipt(db, values.slice(0, 3))
  await changeReceipt(db, change, values)
}

async function changeOwn(db: Executor, change: StateChange, values: unknown[]): Promise<void> {
  const { set, where } = TRANSITIONS[change]
  await db.query(
    `update notifications n set ${set.replaceAll('s.', 'n.')}
     where n.tenant_id = $1 and n.user_id = $2 and n.id = $3 and ${IS_SHOWN} and ${IS_SEEN}
       and ${where.replaceAll('s.', 'n.')}`,
    values,
  )
}

async function insertReceipt(db: Executor, values: unknown[]): Promise<void> {
  await db.query(
    `insert into notification_receipts (tenant_id, user_id, notification_id)
     select n.tenant_id, $2, n.id from notifications n
     where n.tenant_id = $1 and n.user_id is null and n.id = $3 and ${IS_SHOWN} on conflict do nothing`,
    values,
  )
}

async function changeReceipt(db: Executor, change: StateChange, values: unknown[]): Promise<void> {
  const { set, where } = TRANSITIONS[change]
  await db.query(
    `update notification_receipts s set ${set} from notifications n
     where s.tenant_id = $1 and s.user_id = $2 and s.notification_id = $3 and s.deleted_at is null
       and n.id = s.notification_id and n.tenant_id = $1 and n.user_id is null and ${IS_SHOWN} and ${IS_SEEN}
       and ${where}`,
    values,
  )
}
