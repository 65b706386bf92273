/** The SQL of provider configurations. */
import type { Channel } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'

interface SharedColumns {
  id: string
  name: string
  kind: string
  channel: Exclude<Channel, 'in_app'>
  config: Record<string, unknown>
  is_active: boolean
  rate_limit: number | null
  timeout_seconds: number
  priority: number
  uncertain_policy: 'resend' | 'ask' | 'hold'
  created_at: Date
  updated_at: Date
  breaker_state: 'closed' | 'open' | 'half_open'
  breaker_retry_at: Date | null
  /** Until then, by the database's clock. */
  breaker_wait_ms: number
  breaker_error: string
  breaker_changed_at: Date | null
}

export interface TenantProviderRow extends SharedColumns {
  tenant_id: string
  secrets: string
}

/** Serves all tenants; its secrets are in the environment. */
export interface EnvironmentProviderRow extends SharedColumns {
  tenant_id: null
  secrets: null
}

export type ProviderConfigRow = TenantProviderRow | EnvironmentProviderRow

const CONFIG = `p.id, p.tenant_id, p.name, p.kind, p.channel, p.config, p.secrets, p.is_active, p.rate_limit,
  p.timeout_seconds, p.priority, p.uncertain_policy, p.created_at, p.updated_at,
  coalesce(h.state, 'closed') as breaker_state, h.retry_at as breaker_retry_at,
  coalesce(greatest(0, extract(epoch from h.retry_at - now()) * 1000), 0)::float8 as breaker_wait_ms,
  coalesce(h.last_error, '') as breaker_error, h.changed_at as breaker_changed_at`
const FROM = 'provider_configs p left join provider_health h on h.provider_id = p.id'

export async function insertProviderConfig(
  db: Executor,
  row: Omit<TenantProviderRow, 'created_at' | 'updated_at' | `breaker_${string}`>,
): Promise<void> {
  await db.query(
    `insert into provider_configs (id, tenant_id, name, kind, channel, config, secrets, is_active, rate_limit,
       timeout_seconds, priority, uncertain_policy)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      row.id,
      row.tenant_id,
      row.name,
      row.kind,
      row.channel,
      JSON.stringify(row.config),
      row.secrets,
      row.is_active,
      row.rate_limit,
      row.timeout_seconds,
      row.priority,
      row.uncertain_policy,
    ],
  )
}

export async function selectProviderConfigs(db: Executor, tenantId: string): Promise<TenantProviderRow[]> {
  const { rows } = await db.query<TenantProviderRow>(
    `select ${CONFIG} from ${FROM} where p.tenant_id = $1 order by p.channel, p.priority desc, p.name`,
    [tenantId],
  )
  return rows
}

/** The ones to choose from: per channel, best first. */
export async function selectActiveProviderConfigs(
  db: Executor,
  tenantId: string,
): Promise<TenantProviderRow[]> {
  const { rows } = await db.query<TenantProviderRow>(
    `select ${CONFIG} from ${FROM} where p.tenant_id = $1 and p.is_active order by p.channel, p.priority desc, p.name`,
    [tenantId],
  )
  return rows
}

/** Which of these are still there and switched on. */
export async function selectActiveIds(db: Executor, ids: string[]): Promise<Set<string>> {
  const { rows } = await db.query<{ id: string }>(
    'select id from provider_configs where id = any ($1::uuid[]) and is_active',
    [ids],
  )
  return new Set(rows.map(({ id }) => id))
}

/** Of any tenant or of the environment. */
export async function selectHasProvider(db: Executor): Promise<boolean> {
  const { rows } = await db.query<{ has_provider: boolean }>(
    'select exists (select from provider_configs where is_active) as has_provider',
  )
  return rows[0]!.has_provider
}

/** From the environment, for tenants without a provider of their own. */
export async function selectEnvironmentProviders(db: Executor): Promise<EnvironmentProviderRow[]> {
  const { rows } = await db.query<EnvironmentProviderRow>(
    `select ${CONFIG} from ${FROM} where p.tenant_id is null order by p.channel, p.name`,
  )
  return rows
}

/** The tenant's own, or one from the environment. */
export async function selectProviderConfig(
  db: Executor,
  tenantId: string,
  id: string,
): Promise<ProviderConfigRow | undefined> {
  const { rows } = await db.query<ProviderConfigRow>(
    `select ${CONFIG} from ${FROM} where p.id = $2 and (p.tenant_id = $1 or p.tenant_id is null)`,
    [tenantId, id],
  )
  return rows[0]
}

/** For callbacks, which come without an API key: the provider's id is the secret part of their URL. */
export async function selectProviderConfigById(
  db: Executor,
  id: string,
): Promise<TenantProviderRow | undefined> {
  const { rows } = await db.query<TenantProviderRow>(
    `select ${CONFIG} from ${FROM} where p.id = $1 and p.tenant_id is not null`,
    [id],
  )
  return rows[0]
}

export async function updateProviderConfig(
  db: Executor,
  tenantId: string,
  id: string,
  row: Pick<
    TenantProviderRow,
    'config' | 'secrets' | 'is_active' | 'rate_limit' | 'timeout_seconds' | 'priority' | 'uncertain_policy'
  >,
): Promise<void> {
  await db.query(
    `update provider_configs set config = $3, secrets = $4, is_active = $5, rate_limit = $6, timeout_seconds = $7,
       priority = $8, uncertain_policy = $9, updated_at = now()
     where tenant_id = $1 and id = $2`,
    [
      tenantId,
      id,
      JSON.stringify(row.config),
      row.secrets,
      row.is_active,
      row.rate_limit,
      row.timeout_seconds,
      row.priority,
      row.uncertain_policy,
    ],
  )
}

export async function deleteProviderConfig(db: Executor, tenantId: string, id: string): Promise<void> {
  await db.query('delete from provider_configs where tenant_id = $1 and id = $2', [tenantId, id])
}

/** Active ones: those whose breaker is not closed, those of the environment, and some of the tenants' by index. */
export async function selectSomeProviders(db: Executor, limit: number): Promise<ProviderConfigRow[]> {
  const { rows } = await db.query<ProviderConfigRow>(
    `select ${CONFIG} from (
       (select provider_id as id from provider_health where state <> 'closed' limit $1)
       union
       (select id from provider_configs where tenant_id is null)
       union
       (select id from provider_configs where is_active order by tenant_id, channel limit $1)
     ) chosen join ${FROM} on p.id = chosen.id
     where p.is_active order by coalesce(h.state, 'closed') = 'closed', p.name limit $1`,
    [limit],
  )
  return rows
}
