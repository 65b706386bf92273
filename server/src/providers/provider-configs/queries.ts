/** The SQL of provider configurations and their health. */
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

/** Of all tenants; its secrets are in the environment. */
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

/** Those to choose from: per channel, best first. */
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

/** Those of the environment, for whoever has none of its own. */
export async function selectEnvironmentProviders(db: Executor): Promise<EnvironmentProviderRow[]> {
  const { rows } = await db.query<EnvironmentProviderRow>(
    `select ${CONFIG} from ${FROM} where p.tenant_id is null order by p.channel, p.name`,
  )
  return rows
}

/** One of the tenant, or of the environment. */
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

/** For callbacks, which come without a key: the provider's own id is the secret part of their address. */
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

/** Changes nothing when the row says the same: the time of its last change is what makes processes look again. */
export async function upsertEnvironmentProvider(
  db: Executor,
  row: Pick<EnvironmentProviderRow, 'id' | 'channel' | 'name' | 'config' | 'rate_limit' | 'timeout_seconds'>,
): Promise<void> {
  await db.query(
    `insert into provider_configs as p (id, tenant_id, name, kind, channel, config, secrets, rate_limit, timeout_seconds)
     values ($1, null, $3, $3, $2, $4, null, $5, $6)
     on conflict (channel, name) where tenant_id is null do update set config = excluded.config,
       rate_limit = excluded.rate_limit, timeout_seconds = excluded.timeout_seconds, updated_at = now()
     where (p.config, p.rate_limit, p.timeout_seconds)
       is distinct from (excluded.config, excluded.rate_limit, excluded.timeout_seconds)`,
    [row.id, row.channel, row.name, JSON.stringify(row.config), row.rate_limit, row.timeout_seconds],
  )
}

export async function deleteOtherEnvironmentProviders(
  db: Executor,
  channel: string,
  kept: string | null,
): Promise<void> {
  await db.query(
    'delete from provider_configs where tenant_id is null and channel = $1 and name is distinct from $2',
    [channel, kept],
  )
}

/** Opens the breaker. Answers whether this call did it, so that one process tells the operator. */
export async function openBreaker(
  db: Executor,
  providerId: string,
  error: string,
  coolDownMs: number,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into provider_health as h (provider_id, state, retry_at, cool_down_ms, last_error)
     values ($1, 'open', now() + make_interval(secs => $3::float8 / 1000), $3, $2)
     on conflict (provider_id) do update set state = 'open', retry_at = excluded.retry_at,
       cool_down_ms = excluded.cool_down_ms, last_error = excluded.last_error, changed_at = now()
     where h.state = 'closed'`,
    [providerId, error, coolDownMs],
  )
  return rowCount === 1
}

/** One probe at a time over all processes; a prober that died gives way when its time is over. */
export async function takeProbe(db: Executor, providerId: string, probeMs: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `update provider_health set state = 'half_open', retry_at = now() + make_interval(secs => $2::float8 / 1000), changed_at = now()
     where provider_id = $1 and state <> 'closed' and retry_at <= now()`,
    [providerId, probeMs],
  )
  return rowCount === 1
}

export async function reopenBreaker(
  db: Executor,
  providerId: string,
  error: string,
  longestMs: number,
): Promise<void> {
  await db.query(
    `update provider_health set state = 'open', cool_down_ms = least(cool_down_ms * 2, $3),
       retry_at = now() + make_interval(secs => least(cool_down_ms * 2, $3)::float8 / 1000), last_error = $2, changed_at = now()
     where provider_id = $1 and state = 'half_open'`,
    [providerId, error, longestMs],
  )
}

export async function closeBreaker(db: Executor, providerId: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `update provider_health set state = 'closed', retry_at = null, changed_at = now()
     where provider_id = $1 and state <> 'closed'`,
    [providerId],
  )
  return rowCount === 1
}
