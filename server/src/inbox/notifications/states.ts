/** What a person can do with a row of the inbox, each as one statement for rows of their own and for receipts. */
import type { InboxActionName } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'
import type { InboxOwner } from './owner.ts'

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
  hide: { set: 'deleted_at = now()', where: 's.deleted_at is null', concernsEvents: true },
}

const IS_SEEN = '($4::text is null or pg_visible_in_snapshot(n.event_version::text::xid8, $4::pg_snapshot))'
const IS_SHOWN = 'n.deleted_at is null and (n.expires_at is null or n.expires_at > now())'

export interface ChangeOptions {
  /** What the person looked at. */
  seenVersion?: string | undefined
  /** Of a snooze. */
  until?: string | undefined
}

/** The caller owns the transaction. Ids that the person does not have, or cannot see any more, are left alone. */
export async function changeStates(
  tx: Executor,
  owner: InboxOwner,
  ids: string[],
  change: StateChange,
  { seenVersion, until }: ChangeOptions = {},
): Promise<void> {
  const { concernsEvents } = TRANSITIONS[change]
  const values = [owner.tenantId, owner.userId, ids]
  const options = [(concernsEvents && seenVersion) || null, ...(change === 'snooze' ? [until] : [])]
  const own = await lockOwn(tx, values)
  if (own > 0) await changeOwn(tx, change, [...values, ...options])
  if (own === ids.length) return
  await lockReceipts(tx, values)
  await changeReceipts(tx, change, [...values, ...options])
}

/** In the order of the ids, so that two tabs never wait for each other in a circle. */
async function lockOwn(tx: Executor, values: unknown[]): Promise<number> {
  const { rowCount } = await tx.query(
    `select from notifications n where n.tenant_id = $1 and n.user_id = $2 and n.id = any ($3::uuid[])
     order by n.id for no key update`,
    values,
  )
  return rowCount ?? 0
}

async function changeOwn(tx: Executor, change: StateChange, values: unknown[]): Promise<void> {
  const { set, where } = TRANSITIONS[change]
  await tx.query(
    `update notifications n set ${set.replaceAll('s.', 'n.')}
     where n.tenant_id = $1 and n.user_id = $2 and n.id = any ($3::uuid[]) and ${IS_SHOWN} and ${IS_SEEN}
       and ${where.replaceAll('s.', 'n.')}`,
    values,
  )
}

async function lockReceipts(tx: Executor, values: unknown[]): Promise<void> {
  await tx.query(
    `insert into notification_receipts (tenant_id, user_id, notification_id)
     select n.tenant_id, $2, n.id from notifications n
     where n.tenant_id = $1 and n.user_id is null and n.id = any ($3::uuid[]) and ${IS_SHOWN}
     order by n.id on conflict do nothing`,
    values,
  )
  await tx.query(
    `select from notification_receipts r
     where r.tenant_id = $1 and r.user_id = $2 and r.notification_id = any ($3::uuid[])
     order by r.notification_id for no key update`,
    values,
  )
}

async function changeReceipts(tx: Executor, change: StateChange, values: unknown[]): Promise<void> {
  const { set, where } = TRANSITIONS[change]
  await tx.query(
    `update notification_receipts s set ${set} from notifications n
     where s.tenant_id = $1 and s.user_id = $2 and s.notification_id = any ($3::uuid[]) and s.deleted_at is null
       and n.id = s.notification_id and n.tenant_id = $1 and n.user_id is null and ${IS_SHOWN} and ${IS_SEEN}
       and ${where}`,
    values,
  )
}
