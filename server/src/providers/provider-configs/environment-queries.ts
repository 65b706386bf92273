/** The SQL of providers from the environment, beside what they share with all others. */
import type { Executor } from '../../platform/database/pool.ts'
import type { EnvironmentProviderRow } from './queries.ts'

/** What identifies a provider from the environment. */
export type EnvironmentProviderName = Pick<EnvironmentProviderRow, 'id' | 'tenant_id' | 'channel' | 'name'>

/**
 * Answers the row's id if it is new or has changed, otherwise undefined. An unchanged row is left alone, because processes
 * create a provider anew when the time of its last change differs.
 */
export async function upsertEnvironmentProvider(
  db: Executor,
  row: Pick<
    EnvironmentProviderRow,
    'id' | 'channel' | 'name' | 'config' | 'rate_limit' | 'timeout_seconds'
  > & {
    settings_hash: string
  },
): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>(
    `insert into provider_configs as p (id, tenant_id, name, kind, channel, config, secrets, rate_limit, timeout_seconds,
       settings_hash, seen_at)
     values ($1, null, $3, $3, $2, $4, null, $5, $6, $7, now())
     on conflict (channel, name) where tenant_id is null do update set config = excluded.config,
       rate_limit = excluded.rate_limit, timeout_seconds = excluded.timeout_seconds,
       settings_hash = excluded.settings_hash, seen_at = excluded.seen_at, updated_at = now()
     where (p.config, p.rate_limit, p.timeout_seconds, p.settings_hash)
       is distinct from (excluded.config, excluded.rate_limit, excluded.timeout_seconds, excluded.settings_hash)
     returning id`,
    [
      row.id,
      row.channel,
      row.name,
      JSON.stringify(row.config),
      row.rate_limit,
      row.timeout_seconds,
      row.settings_hash,
    ],
  )
  return rows[0]?.id
}

/** Deletes the channel's providers from the environment, except the one with this name. */
export async function deleteOtherEnvironmentProviders(
  db: Executor,
  channel: string,
  kept: string | null,
): Promise<EnvironmentProviderName[]> {
  const { rows } = await db.query<EnvironmentProviderName>(
    `delete from provider_configs where tenant_id is null and channel = $1 and name is distinct from $2
     returning id, tenant_id, channel, name`,
    [channel, kept],
  )
  return rows
}

/** Marks the rows whose settings the calling process has. */
export async function touchEnvironmentProviders(
  db: Executor,
  providers: { channel: string; name: string }[],
): Promise<void> {
  await db.query(
    `update provider_configs p set seen_at = now()
     from unnest($1::text[], $2::text[]) as mine (channel, name)
     where p.tenant_id is null and p.channel = mine.channel and p.name = mine.name`,
    [providers.map(({ channel }) => channel), providers.map(({ name }) => name)],
  )
}

/** Deletes the rows that no process has marked for so long. */
export async function deleteAbandonedEnvironmentProviders(
  db: Executor,
  unseenMs: number,
): Promise<EnvironmentProviderName[]> {
  const { rows } = await db.query<EnvironmentProviderName>(
    `delete from provider_configs
     where tenant_id is null and seen_at < now() - make_interval(secs => $1::float8 / 1000)
     returning id, tenant_id, channel, name`,
    [unseenMs],
  )
  return rows
}
