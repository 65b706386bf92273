/** The SQL of saved filters. */
import type { SavedFilter, SavedFilterChanges, SavedFilterInput } from '@carillon/contract'
import type { Dated } from '../../platform/database/dated.ts'
import type { Executor } from '../../platform/database/pool.ts'
import type { InboxOwner } from '../notifications/owner.ts'

export type SavedFilterRow = Dated<SavedFilter, 'created_at' | 'updated_at'>

const COLUMNS = 'name, query, position, created_at, updated_at'

export async function selectSavedFilters(
  db: Executor,
  { tenantId, userId }: InboxOwner,
): Promise<SavedFilterRow[]> {
  const { rows } = await db.query<SavedFilterRow>(
    `select ${COLUMNS} from saved_filters where tenant_id = $1 and user_id = $2 order by position, name`,
    [tenantId, userId],
  )
  return rows
}

/** The person's row is locked, so that two new filters cannot both be the last that fits. */
export async function lockPerson(tx: Executor, { tenantId, userId }: InboxOwner): Promise<boolean> {
  const { rowCount } = await tx.query(
    'select from users where tenant_id = $1 and id = $2 for no key update',
    [tenantId, userId],
  )
  return rowCount === 1
}

/** undefined: the person has `most` others already. */
export async function upsertSavedFilter(
  tx: Executor,
  { tenantId, userId }: InboxOwner,
  name: string,
  { query, position }: Required<SavedFilterInput>,
  most: number,
): Promise<SavedFilterRow | undefined> {
  const { rows } = await tx.query<SavedFilterRow>(
    `insert into saved_filters as f (tenant_id, user_id, name, query, position)
     select $1, $2, $3, $4, $5
     where (select count(*) from saved_filters where tenant_id = $1 and user_id = $2 and name <> $3) < $6
     on conflict (tenant_id, user_id, name)
     do update set query = excluded.query, position = excluded.position, updated_at = now()
     returning ${COLUMNS}`,
    [tenantId, userId, name, query, position, most],
  )
  return rows[0]
}

export async function changeSavedFilter(
  db: Executor,
  { tenantId, userId }: InboxOwner,
  name: string,
  { query, position }: SavedFilterChanges,
): Promise<SavedFilterRow | undefined> {
  const { rows } = await db.query<SavedFilterRow>(
    `update saved_filters set query = coalesce($4, query), position = coalesce($5, position), updated_at = now()
     where tenant_id = $1 and user_id = $2 and name = $3 returning ${COLUMNS}`,
    [tenantId, userId, name, query, position],
  )
  return rows[0]
}

export async function deleteSavedFilter(
  db: Executor,
  { tenantId, userId }: InboxOwner,
  name: string,
): Promise<boolean> {
  const { rowCount } = await db.query(
    'delete from saved_filters where tenant_id = $1 and user_id = $2 and name = $3',
    [tenantId, userId, name],
  )
  return rowCount === 1
}
