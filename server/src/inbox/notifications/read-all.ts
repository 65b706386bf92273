/** Marking everything as read, in batches that hold few locks for a short time. */
import type { Executor } from '../../platform/database/pool.ts'
import { conditionOf } from './filter.ts'
import { EVERYBODYS, IS_SHOWN, OWN } from './item.ts'
import type { InboxOwner } from './owner.ts'
import type { FilterTerm } from './parse-filter.ts'
import { snapshotOf } from './version.ts'

const BATCH_ROWS = 500

/** What `seenVersion` has seen and the filter matches; what comes in meanwhile stays unread. Returns how many were unread. */
export async function readAll(
  db: Executor,
  owner: InboxOwner,
  terms: FilterTerm[],
  seenVersion: string,
): Promise<number> {
  const next = (rows: number, lock: string) => readOwn(db, owner, terms, seenVersion, rows, lock)
  let read = 0
  for (;;) {
    // Rows that somebody changes just now are left for the end, one at a time: see changeState().
    const count = (await next(BATCH_ROWS, 'skip locked')) || (await next(1, ''))
    if (count === 0) break
    read += count
  }
  for (;;) {
    const count = await readEverybodys(db, owner, terms, seenVersion)
    read += count
    if (count < BATCH_ROWS) return read
  }
}

const IS_SEEN = `pg_visible_in_snapshot(i.event_version::text::xid8, ${snapshotOf('$3')})`

async function readOwn(
  db: Executor,
  { tenantId, userId }: InboxOwner,
  terms: FilterTerm[],
  seenVersion: string,
  rows: number,
  lock: string,
): Promise<number> {
  const { sql, values } = conditionOf(terms, 5)
  const { rowCount } = await db.query(
    `with batch as materialized (
       select n.id from notifications n
       where n.tenant_id = $1 and n.id = any (array(
           select i.id from (${OWN}) i where not i.is_read and ${IS_SHOWN} and ${sql} and ${IS_SEEN}
           order by i.last_event_at desc, i.id desc limit $4))
         and not n.is_read and ${IS_SEEN.replace('i.', 'n.')}
       for no key update ${lock}
     )
     update notifications n set is_read = true, read_at = now() 
     from batch b where n.tenant_id = $1 and n.id = b.id`,
    [tenantId, userId, seenVersion, rows, ...values],
  )
  return rowCount ?? 0
}

async function readEverybodys(
  db: Executor,
  { tenantId, userId }: InboxOwner,
  terms: FilterTerm[],
  seenVersion: string,
): Promise<number> {
  const { sql, values } = conditionOf(terms, 5)
  const { rowCount } = await db.query(
    `insert into notification_receipts as r (tenant_id, user_id, notification_id, is_read, read_at)
     select $1, $2, i.id, true, now() from (${EVERYBODYS}) i
     where not i.is_read and ${IS_SHOWN} and ${sql} and ${IS_SEEN} order by i.id limit $4
     on conflict (tenant_id, user_id, notification_id)
     do update set is_read = true, read_at = now() where not r.is_read`,
    [tenantId, userId, seenVersion, BATCH_ROWS, ...values],
  )
  return rowCount ?? 0
}
