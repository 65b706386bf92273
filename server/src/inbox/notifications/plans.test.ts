import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans } from '../../../test/plans.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { selectAnnouncements } from './announcements.ts'
import { rowsOfEvent } from './event-rows.ts'
import { readFilter } from './filter.ts'
import {
  selectChanges,
  selectHasChanged,
  selectInbox,
  selectItems,
  selectState,
  selectUnread,
} from './queries.ts'
import { readAll } from './read-all.ts'
import { changeState } from './states.ts'
import { wakeRows } from './wake-loop.ts'

const full = useFullDatabase()
/** Has 20,000 rows, of which 20 are unread. */
const owner = () => ({ tenantId: full.tenantId, userId: 'u7' })
const UUID = '01900000-0000-7000-8000-000000000000'
const list = (q: string, after?: (string | number)[]) => (db: Pool) =>
  selectInbox(db, owner(), { terms: readFilter('q', q), after, limit: 21 })
/** Everything that is there has been seen. */
const seen = async () =>
  (await full.pool.query<{ seen: string }>('select pg_current_snapshot()::text as seen')).rows[0]!.seen
const upsert = (item: object) => (db: Pool) =>
  db.query(`select upsert_inbox($1, '{u7,u8}', '{s,s}', '{false,false}', $2)`, [
    full.tenantId,
    JSON.stringify({ source_event_id: 1, kind: 'k', ...item }),
  ])

describePlans(full, [
  [
    'the badge of a person with 20,000 read rows',
    'notifications_unread',
    db => selectUnread(db, owner()),
    ['S001-7', 'S001-33', 'S004-18'],
  ],
  ['the first page of an inbox', 'notifications_recent', list(''), ['S001-33', 'S004-18']],
  [
    'the next page of an inbox',
    'notifications_recent',
    list('', [new Date().toISOString(), UUID]),
    ['S001-33'],
  ],
  ['a page of unread rows', 'notifications_unread', list('is:unread'), ['S001-7']],
  ['a page of saved rows', 'notifications_saved', list('is:saved')],
  ['the receipts of a person', 'notification_receipts_(pkey|version)', list('')],
  [
    'the list of announcements',
    // Both are led by the tenant; of a few rows, either is as good.
    'notifications_(everybody|version)',
    db => selectAnnouncements(db, full.tenantId, undefined, 21),
    ['S004-18'],
  ],
  [
    'the inbox rows of an event',
    'notifications_event',
    db => rowsOfEvent(db, full.tenantId, { id: '7', thread_kind: null, thread_id: null }, ['u7', 'u8']),
  ],
  [
    'the inbox rows of an event’s thread',
    'notifications_thread_coalesce',
    db => rowsOfEvent(db, full.tenantId, { id: '7', thread_kind: 'issue', thread_id: '1' }, ['u7', 'u8']),
  ],
  ['rows by their ids', 'notifications_pkey', db => selectItems(db, owner(), [UUID])],
  ['the version of an inbox', 'notifications_version', db => selectState(db, owner())],
  [
    'checking an inbox for changes',
    'notifications_version',
    async db => selectHasChanged(db, owner(), await seen()),
  ],
  [
    'the changes since a version',
    'notifications_version',
    async db => selectChanges(db, owner(), await seen(), 201),
  ],
  [
    'the receipts changed since a version',
    'notification_receipts_version',
    async db => selectChanges(db, owner(), await seen(), 201),
  ],
  [
    // Of what was seen long ago there is nothing: writing its rows into every index would take most pages.
    'reading everything',
    'notifications_unread',
    async db => readAll(db, owner(), readFilter('q', ''), '3:3:'),
  ],
  [
    'reading one row',
    'notifications_pkey',
    db => changeState(db, owner(), { id: UUID, is_for_everybody: false }, 'read'),
  ],
  ['ending snoozes', 'notifications_snoozed', wakeRows],
  ['ending snoozes of announcements', 'notification_receipts_snoozed', wakeRows],
  ['expired rows', 'notifications_expired', wakeRows],
  [
    'an event of a thread',
    'notifications_thread_coalesce',
    upsert({ thread_kind: 'issue', thread_id: '7' }),
    ['S001-33'],
  ],
  ['an event without a thread', 'notifications_event', upsert({})],
])
