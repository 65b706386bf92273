/**
 * Providers from the environment as rows, so that they have a breaker, a rate and a place in the listing like all others.
 * A row says that the channel has a real provider; what is needed to call it stays in the environment. So a process that
 * lacks it knows that it must not capture: its messages wait for a process that has it.
 */
import { uuidv7 } from 'uuidv7'
import { resolveSystemEvents } from '../../oversight/system-events/system-events.ts'
import { type Pool, transaction } from '../../platform/database/pool.ts'
import type { Environment, EnvironmentProvider } from '../services/environment.ts'
import { type Candidate, type CandidateOptions, guarded, unavailable } from './candidate.ts'
import { MISSING } from './missing.ts'
import {
  deleteOtherEnvironmentProviders,
  type EnvironmentProviderRow,
  selectEnvironmentProviders,
  upsertEnvironmentProvider,
} from './queries.ts'

/**
 * At start: what this environment says about a channel replaces what was said before. What it does not mention stays:
 * perhaps another process has it.
 */
export async function storeEnvironment(pool: Pool, environment: Environment): Promise<void> {
  await transaction(pool, async tx => {
    for (const channel of environment.captured) await deleteOtherEnvironmentProviders(tx, channel, null)
    for (const provider of environment.providers) {
      await deleteOtherEnvironmentProviders(tx, provider.channel, provider.name)
      await upsertEnvironmentProvider(tx, toRow(provider))
    }
    for (const channel of [...environment.captured, ...environment.providers.map(({ channel }) => channel)])
      await resolveSystemEvents(tx, null, MISSING, channel)
  })
}

/** Another process may have said otherwise since; what this one sends through is listed all the same. */
export async function loadEnvironment(
  pool: Pool,
  { providers }: Environment,
): Promise<EnvironmentProviderRow[]> {
  const rows = await selectEnvironmentProviders(pool)
  const unlisted = providers.filter(provider => !rows.some(row => isRowOf(row, provider)))
  if (unlisted.length === 0) return rows
  for (const provider of unlisted) await upsertEnvironmentProvider(pool, toRow(provider))
  return selectEnvironmentProviders(pool)
}

export function makeEnvironmentCandidate(
  row: EnvironmentProviderRow,
  { providers }: Environment,
  options: CandidateOptions,
): Candidate {
  const here = providers.find(provider => isRowOf(row, provider))
  if (here !== undefined) return guarded(row, here.provider, options)
  const text = `Messages by ${row.channel} go through "${row.name}" from the environment, which this process does not have.`
  return unavailable(row, { text, elsewhere: true })
}

function isRowOf(row: EnvironmentProviderRow, { channel, name }: EnvironmentProvider): boolean {
  return row.channel === channel && row.name === name
}

function toRow(provider: EnvironmentProvider) {
  return {
    id: uuidv7(),
    channel: provider.channel,
    name: provider.name,
    config: provider.config,
    rate_limit: provider.rateLimit,
    timeout_seconds: Math.ceil(provider.timeoutMs / 1000),
  }
}
