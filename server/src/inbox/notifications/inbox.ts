/** Reading an inbox: the list, the badge, and what has changed since. No HTTP. */
import type { InboxChanges, InboxItem, UnreadCount } from '@carillon/contract'
import { notFound } from '../../platform/calls/refusal.ts'
import { atOneMoment, type Executor, type Pool } from '../../platform/database/pool.ts'
import { type InboxRow, toItem } from './item.ts'
import type { InboxOwner } from './owner.ts'
import {
  type InboxState,
  type PageQuery,
  selectChanges,
  selectInbox,
  selectIsOfThisDatabase,
  selectItems,
  selectState,
  selectUnread,
} from './queries.ts'

/** More than this, and reading the list again is cheaper for everybody. */
const MAX_CHANGES = 200

/** What to say with what is read next; refuses an unknown person. */
export async function readState(db: Executor, owner: InboxOwner): Promise<InboxState> {
  const state = await selectState(db, owner)
  if (!state.exists) throw noUser(owner)
  return state
}

export async function countUnread(
  db: Executor,
  owner: InboxOwner,
): Promise<UnreadCount & Pick<InboxState, 'changed_at'>> {
  const { exists, unread, version, changed_at } = await selectUnread(db, owner)
  if (!exists) throw noUser(owner)
  return { unread, version, changed_at }
}

export async function readItem(db: Executor, owner: InboxOwner, id: string): Promise<InboxItem> {
  const [row] = await selectItems(db, owner, [id])
  if (row === undefined) throw noItem()
  return toItem(row)
}

/**
 * At one moment, as with the changes below: a person who does something with a row names the version that came with it, and
 * would be taken for somebody who has not seen it.
 */
export function readPage(
  pool: Pool,
  owner: InboxOwner,
  query: PageQuery,
): Promise<{ state: InboxState; rows: InboxRow[] }> {
  return atOneMoment(pool, async tx => ({
    state: await readState(tx, owner),
    rows: await selectInbox(tx, owner, query),
  }))
}

export async function readChanges(pool: Pool, owner: InboxOwner, since: string): Promise<InboxChanges> {
  const { state, rows } = await atOneMoment(pool, async tx => {
    const { unread, version } = await countUnread(tx, owner)
    const isOurs = await selectIsOfThisDatabase(tx, since)
    const rows = isOurs ? await selectChanges(tx, owner, since, MAX_CHANGES + 1) : undefined
    return { state: { unread, version }, rows }
  })
  if (rows === undefined || rows.length > MAX_CHANGES)
    return { ...state, reset: true, changed: [], removed: [] }
  return {
    ...state,
    reset: false,
    changed: rows.filter(row => row.is_shown).map(toItem),
    removed: rows.filter(row => !row.is_shown).map(({ id }) => id),
  }
}

/** Somebody else's answers like one that does not exist. */
export const noItem = () => notFound('such notification in this inbox')
const noUser = ({ userId }: InboxOwner) => notFound(`user "${userId}"`)
