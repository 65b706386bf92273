/** The SQL of tenants and users. */
import type { Executor } from '../db/pool.ts'

export interface TenantRow {
  id: string
  name: string
  accept_unknown_types: boolean
  locales: string[] | null
  idempotency_window_seconds: number
  computed_key_window_seconds: number
  max_attempts: Record<string, number>
  retry_base_ms: number
  retry_cap_ms: number
  record_retention_days: number
  malformed_retention_days: number
  dead_letter_retention_days: number
  audit_retention_days: number | null
  requests_per_minute: number | null
  notifications_per_day: number | null
  created_at: Date
  updated_at: Date
}

export interface UserRow {
  id: string
  email: string | null
  username: string | null
  phone: string | null
  locale: string
  timezone: string
  created_at: Date
  updated_at: Date
}

const TENANT = `id, name, accept_unknown_types, locales, idempotency_window_seconds, computed_key_window_seconds,
  max_attempts, retry_base_ms, retry_cap_ms, record_retention_days, malformed_retention_days,
  dead_letter_retention_days, audit_retention_days, requests_per_minute, notifications_per_day, created_at, updated_at`
const USER = 'id, email, username, phone, locale, timezone, created_at, updated_at'

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
  const { rows } = await db.query<TenantRow>(`select ${TENANT} from tenants where id = $1`, [tenantId])
  return rows[0]!
}

export async function selectTenants(db: Executor): Promise<TenantRow[]> {
  const { rows } = await db.query<TenantRow>(`select ${TENANT} from tenants order by name`)
  return rows
}

/** Changes the given settings and leaves the others; null for `locales` means any. */
export async function updateTenant(db: Executor, tenantId: string, changes: object): Promise<TenantRow> {
  const { rows } = await db.query<TenantRow>(
    `update tenants t set
       accept_unknown_types = new.accept_unknown_types, locales = new.locales,
       idempotency_window_seconds = new.idempotency_window_seconds,
       computed_key_window_seconds = new.computed_key_window_seconds,
       max_attempts = new.max_attempts, retry_base_ms = new.retry_base_ms, retry_cap_ms = new.retry_cap_ms,
       record_retention_days = new.record_retention_days, malformed_retention_days = new.malformed_retention_days,
       dead_letter_retention_days = new.dead_letter_retention_days, audit_retention_days = new.audit_retention_days,
       requests_per_minute = new.requests_per_minute, notifications_per_day = new.notifications_per_day,
       updated_at = now()
     from (select (jsonb_populate_record(old, $2::jsonb)).* from tenants old where old.id = $1) new
     where t.id = $1 returning ${TENANT.replace(/\b(\w+)\b/g, 't.$1')}`,
    [tenantId, JSON.stringify(changes)],
  )
  return rows[0]!
}

export async function upsertUser(
  db: Executor,
  tenantId: string,
  user: Omit<UserRow, 'created_at' | 'updated_at'>,
) {
  const { rows } = await db.query<UserRow>(
    `insert into users (tenant_id, id, email, username, phone, locale, timezone)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (tenant_id, id) do update set email = excluded.email, username = excluded.username,
       phone = excluded.phone, locale = excluded.locale, timezone = excluded.timezone, updated_at = now()
     returning ${USER}`,
    [tenantId, user.id, user.email, user.username, user.phone, user.locale, user.timezone],
  )
  return rows[0]!
}

export async function selectUser(db: Executor, tenantId: string, id: string): Promise<UserRow | undefined> {
  const { rows } = await db.query<UserRow>(`select ${USER} from users where tenant_id = $1 and id = $2`, [
    tenantId,
    id,
  ])
  return rows[0]
}

export async function selectUsers(
  db: Executor,
  tenantId: string,
  query: { email?: string | undefined; username?: string | undefined; afterId: string; limit: number },
): Promise<UserRow[]> {
  const { rows } = await db.query<UserRow>(
    `select ${USER} from users
     where tenant_id = $1 and id > $2 and ($3::text is null or lower(email) = lower($3))
       and ($4::text is null or username = $4)
     order by id limit $5`,
    [tenantId, query.afterId, query.email ?? null, query.username ?? null, query.limit],
  )
  return rows
}

export async function deleteUser(db: Executor, tenantId: string, id: string): Promise<UserRow | undefined> {
  const { rows } = await db.query<UserRow>(
    `delete from users where tenant_id = $1 and id = $2 returning ${USER}`,
    [tenantId, id],
  )
  return rows[0]
}
