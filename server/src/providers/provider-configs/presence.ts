/**
 * Keeps the rows of the environment's providers true. Every process marks the ones it has the settings of; a row that
 * nobody has marked for a while belongs to settings that were removed, and is deleted. Until then, messages wait: the
 * process that has the settings may only be restarting.
 */
import type { Pool } from '../../platform/database/pool.ts'
import { createLoop, type Service } from '../../platform/queue/service.ts'
import { createWake } from '../../platform/queue/wake.ts'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import type { Environment } from '../services/environment.ts'
import { markPresent, removeAbandoned } from './environment.ts'
import type { EnvironmentProviderName } from './environment-queries.ts'

const INTERVAL_MS = 30_000
/** Long enough for a restart or a rolling upgrade. */
const ABANDONED_AFTER_MS = 300_000

export interface PresenceOptions {
  pool: Pool
  environment: Environment
  keyring: Keyring
  onAbandoned: (provider: EnvironmentProviderName) => void
  onError: (error: unknown) => void
}

/**
 * After an outage of the database every row looks abandoned, so a process deletes only if its previous round worked too:
 * the others have had as much time to mark theirs.
 */
export function createPresenceRound(options: PresenceOptions): () => Promise<void> {
  const { pool, environment, keyring } = options
  let lastRoundWorked = false
  return async () => {
    const mayRemove = lastRoundWorked
    lastRoundWorked = false
    await markPresent(pool, environment, keyring)
    const abandoned = mayRemove ? await removeAbandoned(pool, ABANDONED_AFTER_MS) : []
    lastRoundWorked = true
    for (const provider of abandoned) options.onAbandoned(provider)
  }
}

export function createPresence(options: PresenceOptions): Service {
  const wake = createWake()
  const round = createPresenceRound(options)
  return createLoop({
    name: 'provider presence',
    round: async () => {
      await round()
      return INTERVAL_MS
    },
    wait: ms => wake.wait(ms),
    interrupt: () => wake.call(),
    onError: options.onError,
  })
}
