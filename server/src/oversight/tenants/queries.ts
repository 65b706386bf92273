/** The SQL of tenants. */
import type { Executor } from '../../platform/database/pool.ts'

export interface TenantRow {
  id: string
  name: string
  accept_unknown_types: boolean
  locales: string[] | null
  fallback_locale: string
  idempotency_window_seconds: number
  computed_key_window_seconds: number
  max_attempts: Record<string, number>
  retry_base_ms: number
  retry_cap_ms: number
  trigger_max_attempts: number
  trigger_backoff: 'exponential' | 'linear' | 'constant'
  trigger_base_ms: number
  record_retention_days: number
  malformed_retention_days: number
  dead_letter_retention_days: number
  audit_retention_days: number | null
  run_retention_days: number
  abandoned_retention_days: number
  requests_per_minute: number | null
  notifications_per_day: number | null
  script_http_allowed: boolean
  user_requests_per_minute: number
  cors_origins: string[]
  thread_kinds: string[]
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

const TENANT = `id, name, accept_unknown_types, locales, fallback_locale, idempotency_window_seconds, computed_key_window_seconds,
  max_attempts, retry_base_ms, retry_cap_ms, trigger_max_attempts, trigger_backoff, trigger_base_ms,
  record_retention_days, malformed_retention_days, dead_letter_retention_days, audit_retention_days,
  run_retention_days, abandoned_retention_days, requests_per_minute, notifications_per_day, script_http_allowed,
  user_requests_per_minute, cors_origins, thread_kinds,
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
         accept_unknown_types = new.accept_unknown_types, locales = new.locales, fallback_locale = new.fallback_locale,
         idempotency_window_seconds = new.idempotency_window_seconds,
         computed_key_window_seconds = new.computed_key_window_seconds,
         max_attempts = new.max_attempts, retry_base_ms = new.retry_base_ms, retry_cap_ms = new.retry_cap_ms,
         trigger_max_attempts = new.trigger_max_attempts, trigger_backoff = new.trigger_backoff,
         trigger_base_ms = new.trigger_base_ms,
         record_retention_days = new.record_retention_days, malformed_retention_days = new.malformed_retention_days,
         dead_letter_retention_days = new.dead_letter_retention_days, audit_retention_days = new.audit_retention_days,
         run_retention_days = new.run_retention_days, abandoned_retention_days = new.abandoned_retention_days,
         requests_per_minute = new.requests_per_minute, notifications_per_day = new.notifications_per_day,
         script_http_allowed = new.script_http_allowed,
         user_requests_per_minute = new.user_requests_per_minute, cors_origins = new.cors_origins,
         thread_kinds = new.thread_kinds,
         updated_at = now()
       from (select (jsonb_populate_record(old, $2::jsonb)).* from tenants old where old.id = $1) new
       where t.id = $1 returning t.*
     )
     select ${TENANT} from changed`,
    [tenantId, JSON.stringify(changes)],
  )
  return rows[0]!
}
