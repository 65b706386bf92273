/** The SQL of tenants. */
import { type Tenant, TenantSettings } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'

type Setting = keyof TenantSettings

/** The settings that a tenant's own keys change, each a column of one of its three tables. */
const SETTINGS = TenantSettings.keyof().options
/** What its callers may do. It is beside its state, as every call asks for both. */
const PERMISSIONS: readonly Setting[] = [
  'requests_per_minute',
  'notifications_per_day',
  'user_requests_per_minute',
  'cors_origins',
  'script_http_allowed',
]
/** How long things are kept, and the keys of intents, which are valid no longer than their records are kept. */
const RETENTION: readonly Setting[] = [
  'idempotency_window_seconds',
  'computed_key_window_seconds',
  'record_hot_days',
  'record_retention_days',
  'malformed_retention_days',
  'dead_letter_retention_days',
  'audit_retention_days',
  'run_retention_days',
  'abandoned_retention_days',
  'event_retention_days',
  'inbox_retention_days',
  'system_event_retention_days',
]
const OTHERS = SETTINGS.filter(name => ![...PERMISSIONS, ...RETENTION].includes(name))

export interface TenantRow extends Pick<Tenant, Setting> {
  id: string
  name: string
  quota_requests_per_minute: number | null
  quota_routes_per_day: number | null
  quota_storage_mb: number | null
  /** Numbers of 64 bits come as text. */
  storage_bytes: string | null
  suspended_at: Date | null
  suspension_reason: string
  delete_at: Date | null
  deleting_since: Date | null
  rows_to_delete: string
  rows_deleted: string
  created_at: Date
  updated_at: Date
}

const TENANT = `t.id, t.name, ${SETTINGS.join(', ')},
  t.quota_requests_per_minute, t.quota_routes_per_day, t.quota_storage_mb, t.storage_bytes, t.suspended_at,
  t.suspension_reason, t.delete_at, t.deleting_since, t.rows_to_delete, t.rows_deleted, t.created_at, t.updated_at`
const TENANTS = `tenants t
  join tenant_settings s on s.tenant_id = t.id
  join tenant_retention k on k.tenant_id = t.id`

/** With the settings that tenants have by default. */
export async function insertTenant(db: Executor, id: string, name: string): Promise<void> {
  await db.query('insert into tenants (id, name) values ($1, $2)', [id, name])
}

export async function countTenants(db: Executor): Promise<number> {
  const { rows } = await db.query<{ count: number }>('select count(*)::integer as count from tenants')
  return rows[0]!.count
}

export async function selectTenant(db: Executor, tenantId: string): Promise<TenantRow> {
  return (await findTenantRow(db, tenantId))!
}

export async function findTenantRow(db: Executor, tenantId: string): Promise<TenantRow | undefined> {
  const { rows } = await db.query<TenantRow>(`select ${TENANT} from ${TENANTS} where t.id = $1`, [tenantId])
  return rows[0]
}

/** Without a name: the first one there was. */
export async function selectTenantByName(
  db: Executor,
  name: string | undefined,
): Promise<TenantRow | undefined> {
  const { rows } = await db.query<TenantRow>(
    `select ${TENANT} from ${TENANTS}
     where $1::text is null or t.name = $1 order by t.created_at, t.id limit 1`,
    [name ?? null],
  )
  return rows[0]
}

export async function selectTenants(db: Executor): Promise<TenantRow[]> {
  const { rows } = await db.query<TenantRow>(`select ${TENANT} from ${TENANTS} order by t.name`)
  return rows
}

/** Changes the given settings and leaves the others; null for `locales` means any. */
export async function updateTenant(db: Executor, tenantId: string, changes: object): Promise<TenantRow> {
  const { rows } = await db.query<TenantRow>(
    `with t as (update tenants x set updated_at = now(), ${given(PERMISSIONS)} where id = $1 returning *),
       s as (update tenant_settings x set ${given(OTHERS)} where tenant_id = $1 returning *),
       k as (update tenant_retention x set ${given(RETENTION)} where tenant_id = $1 returning *)
     select ${TENANT} from t, s, k`,
    [tenantId, JSON.stringify(changes)],
  )
  return rows[0]!
}

/** What $2 says of the row `x`, and what it has of the rest. */
function given(names: readonly Setting[]): string {
  return `(${names}) = (select ${names} from jsonb_populate_record(x, $2::jsonb))`
}
