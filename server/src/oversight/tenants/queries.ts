/** The SQL of tenants. */
import type { Tenant, TenantSettings } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'

/** The settings that a tenant's own keys change, all of them columns of the table. */
const SETTINGS = [
  'accept_unknown_types',
  'locales',
  'fallback_locale',
  'idempotency_window_seconds',
  'computed_key_window_seconds',
  'max_attempts',
  'retry_base_ms',
  'retry_cap_ms',
  'trigger_max_attempts',
  'trigger_backoff',
  'trigger_base_ms',
  'record_hot_days',
  'record_retention_days',
  'malformed_retention_days',
  'dead_letter_retention_days',
  'audit_retention_days',
  'run_retention_days',
  'abandoned_retention_days',
  'event_retention_days',
  'inbox_retention_days',
  'requests_per_minute',
  'notifications_per_day',
  'script_http_allowed',
  'user_requests_per_minute',
  'cors_origins',
  'thread_kinds',
  'system_event_admins',
  'system_event_min_severity',
  'system_event_retention_days',
  'mails_per_thread_window_seconds',
  'mails_per_hour',
  'reply_domain',
  'reply_event_kind',
] as const satisfies (keyof TenantSettings)[]

/** A setting that is missing in the list could neither be stored nor shown. */
type MissingSetting = Exclude<keyof TenantSettings, (typeof SETTINGS)[number]>
true satisfies [MissingSetting] extends [never] ? true : MissingSetting

export interface TenantRow extends Pick<Tenant, (typeof SETTINGS)[number]> {
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

const TENANT = `id, name, ${SETTINGS.join(', ')},
  quota_requests_per_minute, quota_routes_per_day, quota_storage_mb, storage_bytes, suspended_at, suspension_reason,
  delete_at, deleting_since, rows_to_delete, rows_deleted, created_at, updated_at`

export async function insertTenant(db: Executor, id: string, name: string): Promise<TenantRow> {
  const { rows } = await db.query<TenantRow>(
    `insert into tenants (id, name) values ($1, $2) returning ${TENANT}`,
    [id, name],
  )
  return rows[0]!
}

export async function countTenants(db: Executor): Promise<number> {
  const { rows } = await db.query<{ count: number }>('select count(*)::integer as count from tenants')
  return rows[0]!.count
}

export async function selectTenant(db: Executor, tenantId: string): Promise<TenantRow> {
  return (await findTenantRow(db, tenantId))!
}

export async function findTenantRow(db: Executor, tenantId: string): Promise<TenantRow | undefined> {
  const { rows } = await db.query<TenantRow>(`select ${TENANT} from tenants where id = $1`, [tenantId])
  return rows[0]
}

/** Without a name: the first one there was. */
export async function selectTenantByName(
  db: Executor,
  name: string | undefined,
): Promise<TenantRow | undefined> {
  const { rows } = await db.query<TenantRow>(
    `select ${TENANT} from tenants where $1::text is null or name = $1 order by created_at, id limit 1`,
    [name ?? null],
  )
  return rows[0]
}

export async function selectTenants(db: Executor): Promise<TenantRow[]> {
  const { rows } = await db.query<TenantRow>(`select ${TENANT} from tenants order by name`)
  return rows
}

/** Changes the given settings and leaves the others; null for `locales` means any. */
export async function updateTenant(db: Executor, tenantId: string, changes: object): Promise<TenantRow> {
  const { rows } = await db.query<TenantRow>(
    `with changed as (
       update tenants t set
         ${SETTINGS.map(name => `${name} = new.${name}`).join(', ')},
         updated_at = now()
       from (select (jsonb_populate_record(old, $2::jsonb)).* from tenants old where old.id = $1) new
       where t.id = $1 returning t.*
     )
     select ${TENANT} from changed`,
    [tenantId, JSON.stringify(changes)],
  )
  return rows[0]!
}
