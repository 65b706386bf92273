/** What the landing page tells about this process, asked at most once a second however many people look. */

import type { Role } from '../../platform/config/settings.ts'
import type { Pool } from '../../platform/database/pool.ts'
import {
  readState,
  readVersion,
  type Standing,
  standingOf,
  type Version,
} from '../../platform/database/release.ts'
import { createMemory } from '../../platform/memory/remember.ts'
import { hasProvider } from '../../providers/provider-configs/provider-configs.ts'
import { readinessOf } from '../telemetry/health-routes.ts'

export interface LandingFacts {
  pool: Pool
  /** false while the process starts or stops. */
  isServing: () => boolean
  roles: Role[]
  /** '' when it is not known. */
  publicUrl: string
  /** Strangers learn only what /readyz tells, as where the metrics need a key. */
  isPrivate: boolean
  hasPlayground: boolean
  rememberMs?: number
}

export interface Situation {
  /** 'ready', or why not. */
  readiness: string
  /** How the database's schema stands to this version; undefined when nobody could ask. */
  standing: Standing | undefined
  hasProvider: boolean
  /** What an operator has to know although it is ready. */
  note: string | undefined
}

export function createSituationReader({ pool, isServing, rememberMs = 1000 }: LandingFacts) {
  const memory = createMemory<Situation>({ forMs: rememberMs, now: Date.now })
  // Its files do not change while it runs.
  let version: Promise<Version> | undefined
  return () =>
    memory.get('situation', async () => {
      const { status: readiness, note } = await readinessOf({ pool, isServing })
      if (readiness !== 'ready') return { readiness, note, standing: undefined, hasProvider: false }
      version ??= readVersion()
      const standing = standingOf(await version, await readState(pool))
      const isPending = standing === 'older'
      return {
        readiness: isPending ? 'migrations are pending' : readiness,
        standing,
        note,
        hasProvider: await hasProvider(pool),
      }
    })
}
