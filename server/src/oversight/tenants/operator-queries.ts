/** The SQL of what only operators do with tenants: quotas, suspension, deletion. */
import type { TenantQuota } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'

/** Changes the given quotas and leaves the others. */
export async function changeQuota(
  db: Executor,
  id: string,
  quota: { [Name in keyof TenantQuota]?: TenantQuota[Name] | undefined },
): Promise<void> {
  const changes = Object.fromEntries(Object.entries(quota).map(([name, value]) => [`quota_${name}`, value]))
  await db.query(
    `update tenants t set quota_requests_per_minute = new.quota_requests_per_minute,
       quota_routes_per_day = new.quota_routes_per_day, quota_storage_mb = new.quota_storage_mb,
       storage_bytes = case when new.quota_storage_mb is null then null else t.storage_bytes end,
       storage_measured_at = null, updated_at = now()
     from (select (jsonb_populate_record(old, $2::jsonb)).* from tenants old where old.id = $1) new
     where t.id = $1`,
    [id, JSON.stringify(changes)],
  )
}

export async function suspendTenantRow(db: Executor, id: string, reason: string): Promise<void> {
  await db.query(
    `update tenants set suspended_at = coalesce(suspended_at, now()), suspension_reason = $2, updated_at = now()
     where id = $1`,
    [id, reason],
  )
}

/** False if its deletion has begun: half a tenant must not come back. */
export async function resumeTenantRow(db: Executor, id: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `update tenants set suspended_at = null, suspension_reason = '', delete_at = null, updated_at = now()
     where id = $1 and deleting_since is null`,
    [id],
  )
  return rowCount === 1
}

/** False if it has begun already. */
export async function scheduleDeletion(db: Executor, id: string, graceDays: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `update tenants set suspended_at = coalesce(suspended_at, now()), delete_at = now() + make_interval(days => $2),
       updated_at = now()
     where id = $1 and deleting_since is null`,
    [id, graceDays],
  )
  return rowCount === 1
}

/** One whose time has come and that nobody else is deleting, locked until the transaction ends. */
export async function lockTenantToDelete(
  tx: Executor,
): Promise<{ id: string; name: string; has_started: boolean; rows_deleted: number } | undefined> {
  const { rows } = await tx.query<{ id: string; name: string; has_started: boolean; rows_deleted: number }>(
    `select id, name, deleting_since is not null as has_started, rows_deleted::float8 as rows_deleted from tenants
     where delete_at <= now() order by delete_at limit 1 for update skip locked`,
  )
  return rows[0]
}

export async function startDeletion(tx: Executor, id: string): Promise<void> {
  await tx.query(
    'update tenants set deleting_since = now(), rows_to_delete = (select row_count from tenant_rows($1)) where id = $1',
    [id],
  )
}

/** Answers how many rows went; 0 when only the tenant itself is left. */
export async function deleteSomeRows(tx: Executor, id: string, most: number): Promise<number> {
  const { rows } = await tx.query<{ deleted: number }>('select delete_tenant_rows($1, $2) as deleted', [
    id,
    most,
  ])
  const { deleted } = rows[0]!
  await tx.query('update tenants set rows_deleted = rows_deleted + $2 where id = $1', [id, deleted])
  return deleted
}

export async function deleteTenantRow(tx: Executor, id: string): Promise<void> {
  await tx.query('delete from tenants where id = $1', [id])
}

/** Measures the tenant whose storage was measured longest ago, if that is long enough. Answers whether there was one. */
export async function measureStorage(db: Executor, everySeconds: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `with due as (
       select id from tenants
       where quota_storage_mb is not null
         and (storage_measured_at is null or storage_measured_at <= now() - make_interval(secs => $1))
       order by storage_measured_at nulls first limit 1
     ), measured as (
       update tenants t set storage_bytes = (select bytes from tenant_rows(t.id)), storage_measured_at = clock_timestamp()
       from due where t.id = due.id returning t.id, t.storage_bytes, t.quota_storage_mb
     )
     select case when storage_bytes > quota_storage_mb * 1000000::bigint then
       raise_quota_event(id, 'storage_mb', 'The storage is used up; nothing more is accepted.') end
     from measured`,
    [everySeconds],
  )
  return rowCount === 1
}
