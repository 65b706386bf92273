/**
 * Providers from the environment are rows, so that they have a breaker, a rate limit and an entry in the list like all
 * others. A row only says that the channel has a real provider; what is needed to call it stays in the environment. That
 * tells a process without the settings not to capture: its messages wait for a process that has them.
 */
import { uuidv7 } from 'uuidv7'
import { resolveSystemEvents } from '../../oversight/system-events/system-events.ts'
import { type Client, type Pool, transaction } from '../../platform/database/pool.ts'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import type { Environment, EnvironmentProvider } from '../services/environment.ts'
import { closeBreaker } from './breaker-queries.ts'
import { type Candidate, type CandidateOptions, guarded, unavailableProvider } from './candidate.ts'
import { resolveProblems } from './down.ts'
import {
  deleteAbandonedEnvironmentProviders,
  deleteOtherEnvironmentProviders,
  type EnvironmentProviderName,
  touchEnvironmentProviders,
  upsertEnvironmentProvider,
} from './environment-queries.ts'
import { MISSING } from './missing.ts'
import { type EnvironmentProviderRow, selectEnvironmentProviders } from './queries.ts'

/**
 * At start, what this environment says about a channel replaces what was stored. Channels that it does not mention keep
 * their rows, since another process may have the settings.
 */
export async function storeEnvironment(
  pool: Pool,
  environment: Environment,
  keyring: Keyring,
): Promise<void> {
  const { providers, captured } = environment
  await transaction(pool, async tx => {
    for (const channel of captured) await replaceOthers(tx, channel, null)
    for (const provider of providers) {
      await replaceOthers(tx, provider.channel, provider.name)
      await storeProvider(tx, provider, keyring)
    }
    await touchEnvironmentProviders(tx, providers)
  })
}

async function replaceOthers(tx: Client, channel: string, kept: string | null): Promise<void> {
  for (const deleted of await deleteOtherEnvironmentProviders(tx, channel, kept))
    await resolveProblems(tx, deleted)
  await resolveSystemEvents(tx, null, MISSING, channel)
}

/** With new settings the provider gets a new chance: its failures were those of the old ones. */
async function storeProvider(tx: Client, provider: EnvironmentProvider, keyring: Keyring): Promise<void> {
  const id = await upsertEnvironmentProvider(tx, toRow(provider, keyring))
  if (id === undefined) return
  await closeBreaker(tx, id)
  await resolveProblems(tx, { id, tenant_id: null, channel: provider.channel, name: provider.name })
}

/** Says that this process has these settings. */
export async function markPresent(pool: Pool, environment: Environment, keyring: Keyring): Promise<void> {
  await loadEnvironment(pool, environment, keyring)
  await touchEnvironmentProviders(pool, environment.providers)
}

/** Deletes providers whose settings no process has had for so long: the operator has removed them. */
export async function removeAbandoned(
  pool: Pool,
  abandonedAfterMs: number,
): Promise<EnvironmentProviderName[]> {
  return transaction(pool, async tx => {
    const abandoned = await deleteAbandonedEnvironmentProviders(tx, abandonedAfterMs)
    for (const provider of abandoned) {
      await resolveProblems(tx, provider)
      await resolveSystemEvents(tx, null, MISSING, provider.channel)
    }
    return abandoned
  })
}

/** Restores the rows of this process's own providers if another process has deleted them since. */
export async function loadEnvironment(
  pool: Pool,
  { providers }: Environment,
  keyring: Keyring,
): Promise<EnvironmentProviderRow[]> {
  const rows = await selectEnvironmentProviders(pool)
  const unlisted = providers.filter(provider => !rows.some(row => isRowOf(row, provider)))
  if (unlisted.length === 0) return rows
  for (const provider of unlisted) await upsertEnvironmentProvider(pool, toRow(provider, keyring))
  return selectEnvironmentProviders(pool)
}

/** Without the settings, its breaker and rate still tell what becomes of messages in the process that has them. */
export function makeEnvironmentCandidate(
  row: EnvironmentProviderRow,
  { providers }: Environment,
  options: CandidateOptions,
): Candidate {
  const here = providers.find(provider => isRowOf(row, provider))
  if (here !== undefined) return guarded(row, here.provider, options)
  const text = `Messages by ${row.channel} go through "${row.name}" from the environment, which this process does not have.`
  const why = { text, elsewhere: true }
  return { ...guarded(row, unavailableProvider(row.name, why), options), unavailable: why }
}

function isRowOf(row: EnvironmentProviderRow, { channel, name }: EnvironmentProvider): boolean {
  return row.channel === channel && row.name === name
}

function toRow(provider: EnvironmentProvider, keyring: Keyring) {
  return {
    id: uuidv7(),
    channel: provider.channel,
    name: provider.name,
    config: provider.config,
    rate_limit: provider.rateLimit,
    timeout_seconds: Math.ceil(provider.timeoutMs / 1000),
    // Under the master key, since a plain hash of a weak password could be guessed by whoever reads the row.
    settings_hash: keyring.sign('environment provider', provider.settings).toString('base64'),
  }
}
