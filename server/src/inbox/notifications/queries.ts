/** The SQL that reads an inbox. */
import type { Executor } from '../../platform/database/pool.ts'
import { conditionOf } from './filter.ts'
import { EVERYBODYS, type InboxRow, IS_SHOWN, IS_UNREAD, OWN } from './item.ts'
import type { InboxOwner } from './owner.ts'
import type { FilterTerm } from './parse-filter.ts'
import { changedSince, hasSeenRow, snapshotOf, VERSION } from './version.ts'

export interface InboxState {
  /** The person exists. */
  exists: boolean
  version: string
  changed_at: Date
  now: Date
}

/** The change with the largest version is the last one, up to those that overlapped with it. */
const STATE = `${VERSION} as version, now() as now,
  exists (select from users where tenant_id = $1 and id = $2) as exists,
  greatest(
    (select n.updated_at from notifications n where n.tenant_id = $1 and n.user_id = $2 order by n.version desc limit 1),
    (select n.updated_at from notifications n where n.tenant_id = $1 and n.user_id is null
      order by n.user_id desc, n.version desc limit 1),
    (select r.updated_at from notification_receipts r where r.tenant_id = $1 and r.user_id = $2
      order by r.version desc limit 1),
    timestamptz 'epoch'
  ) as changed_at`

export async function selectState(db: Executor, { tenantId, userId }: InboxOwner): Promise<InboxState> {
  const { rows } = await db.query<InboxState>(`select ${STATE}`, [tenantId, userId])
  return rows[0]!
}

/** Own unread rows are counted in their index; of what is everybody's there are few. */
export async function selectUnread(
  db: Executor,
  { tenantId, userId }: InboxOwner,
): Promise<InboxState & { unread: number }> {
  const { rows } = await db.query<InboxState & { unread: number }>(
    `select ${STATE}, ((select count(*) from (${OWN}) i where ${IS_UNREAD})
         + (select count(*) from (${EVERYBODYS}) i where ${IS_UNREAD}))::integer as unread`,
    [tenantId, userId],
  )
  return rows[0]!
}

export interface PageQuery {
  terms: FilterTerm[]
  after: (string | number)[] | undefined
  limit: number
}

/** Each half is read in the order of its index and no further than the page needs. */
export async function selectInbox(
  db: Executor,
  { tenantId, userId }: InboxOwner,
  query: PageQuery,
): Promise<InboxRow[]> {
  const { sql, values } = conditionOf(query.terms, 6)
  const half = (source: string) => `(select * from (${source}) i
    where ${IS_SHOWN} and ${sql} and ($3::timestamptz is null or (i.last_event_at, i.id) < ($3, $4::uuid))
    order by i.last_event_at desc, i.id desc limit $5)`
  const { rows } = await db.query<InboxRow>(
    `select * from (${half(OWN)} union all ${half(EVERYBODYS)}) i
     order by i.last_event_at desc, i.id desc limit $5`,
    [tenantId, userId, query.after?.[0] ?? null, query.after?.[1] ?? null, query.limit, ...values],
  )
  return rows
}

/** Those that the person has and can still see, in the order of the ids. */
export async function selectItems(
  db: Executor,
  { tenantId, userId }: InboxOwner,
  ids: string[],
): Promise<InboxRow[]> {
  const of = (source: string) => `select * from (${source}) i where ${IS_SHOWN} and i.id = any ($3::uuid[])`
  const { rows } = await db.query<InboxRow>(
    `select * from (${of(OWN)} union all ${of(EVERYBODYS)}) i order by array_position($3::uuid[], i.id)`,
    [tenantId, userId, ids],
  )
  return rows
}

const SEEN = snapshotOf('$3')

/** Three lookups, each in an index that ends with the version; and whether it is still the same person, not a namesake. */
export async function selectHasChanged(
  db: Executor,
  { tenantId, userId }: InboxOwner,
  since: string,
): Promise<boolean> {
  const { rows } = await db.query<{ has_changed: boolean }>(
    `select ${SEEN} is null
       or not exists (select from users u where u.tenant_id = $1 and u.id = $2 and ${hasSeenRow('u.xmin', SEEN)})
       or exists (select from notifications n
         where n.tenant_id = $1 and n.user_id = $2 and ${changedSince('n.version', SEEN)})
       or exists (select from notifications n
         where n.tenant_id = $1 and n.user_id is null and ${changedSince('n.version', SEEN)})
       or exists (select from notification_receipts r
         where r.tenant_id = $1 and r.user_id = $2 and ${changedSince('r.version', SEEN)}) as has_changed`,
    [tenantId, userId, since],
  )
  return rows[0]!.has_changed
}

export interface ChangedRow extends InboxRow {
  is_shown: boolean
}

/** What a snapshot has not seen, hidden rows included; at most `limit`. */
export async function selectChanges(
  db: Executor,
  { tenantId, userId }: InboxOwner,
  since: string,
  limit: number,
): Promise<ChangedRow[]> {
  const { rows } = await db.query<ChangedRow>(
    `select i.*, ${IS_SHOWN} as is_shown from (
       (${OWN} and ${changedSince('n.version', SEEN)} limit $4)
       union all
       (select * from (${EVERYBODYS}) e where e.id in (
         select n.id from notifications n
         where n.tenant_id = $1 and n.user_id is null and ${changedSince('n.version', SEEN)}
         union
         select r.notification_id from notification_receipts r
         where r.tenant_id = $1 and r.user_id = $2 and ${changedSince('r.version', SEEN)}
       ) limit $4)
     ) i order by i.last_event_at desc, i.id desc limit $4`,
    [tenantId, userId, since, limit],
  )
  return rows
}

/** And not from before a restore. */
export async function selectIsOfThisDatabase(db: Executor, version: string): Promise<boolean> {
  const { rows } = await db.query<{ known: boolean }>('select seen_snapshot($1) is not null as known', [
    version,
  ])
  return rows[0]!.known
}
