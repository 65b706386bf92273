/**
 * The providers of each tenant, made and ready: best first per channel. Looked up again every second, so a change
 * takes effect without a restart; a provider is made anew only when its row changed.
 */
import type { Channel } from '@carillon/contract'
import { createMemory } from '../../platform/memory/remember.ts'
import type { Environment } from '../services/environment.ts'
import type { CallbackRequest, Feedback } from '../services/kind.ts'
import { kindNamed } from '../services/kinds.ts'
import type { Provider } from '../services/provider.ts'
import {
  type Candidate,
  type CandidateOptions,
  makeTenantCandidate,
  settingsOf,
  type Unavailable,
  unavailable,
  unguarded,
} from './candidate.ts'
import { loadEnvironment, makeEnvironmentCandidate } from './environment.ts'
import type { MissingProvider } from './missing.ts'
import {
  type ProviderConfigRow,
  selectActiveProviderConfigs,
  selectProviderConfigById,
  selectProviderConfigs,
} from './queries.ts'

/** How one provider's reports are read. */
export interface ProviderCallback {
  tenantId: string
  channel: Channel
  read(request: CallbackRequest): Promise<Feedback[]>
}

export interface ProviderConfigs {
  /** undefined when there is no such provider, or its kind reports nothing. */
  callbackOf(providerId: string): Promise<ProviderCallback | undefined>
}

export interface ProviderDirectory extends ProviderConfigs {
  /**
   * The tenant's own; without any, those of the environment; without these, what is built in. Nothing is captured on a
   * channel that has a provider which cannot be asked: it is answered as unavailable.
   */
  candidates(tenantId: string, channel: Channel): Promise<Candidate[]>
  forget(tenantId: string): void
  close(): Promise<void>
}

export interface DirectoryOptions extends CandidateOptions {
  environment: Environment
  /** The inbox, and what captures the other channels. */
  builtIn: (channel: Channel) => Provider
  onError: (error: unknown, doing: string) => void
  /** Messages have to wait. */
  onMissing?: (missing: MissingProvider) => void
  rememberMs?: number
}

interface Made {
  row: ProviderConfigRow
  candidate: Candidate
}

/** Sorted out once and not for every message; the order stays. */
type CandidatesByChannel = Map<Channel, { usable: Candidate[]; unusable: Candidate[] }>

const NONE = { usable: [], unusable: [] }
/** Beside the tenants' ids. */
const ENVIRONMENT = 'environment'

export function createProviderDirectory(options: DirectoryOptions): ProviderDirectory {
  const { pool, environment } = options
  const memory = { forMs: options.rememberMs ?? 1000, now: Date.now }
  const remembered = createMemory<CandidatesByChannel>(memory)
  const switchedOff = createMemory<CandidatesByChannel>(memory)
  const known = new Map<string, Made>()

  const ofTenant = (tenantId: string) =>
    remembered.get(tenantId, async () => make(tenantId, await selectActiveProviderConfigs(pool, tenantId)))
  const ofEnvironment = () =>
    remembered.get(ENVIRONMENT, async () => make(null, await loadEnvironment(pool, environment)))
  const offIn = (tenantId: string) =>
    switchedOff.get(tenantId, async () => {
      const rows = await selectProviderConfigs(pool, tenantId)
      return byChannel(rows.filter(row => !row.is_active).map(toSwitchedOff))
    })

  async function make(tenantId: string | null, rows: ProviderConfigRow[]): Promise<CandidatesByChannel> {
    const made = rows.map(makeOnce)
    await closeUnused(tenantId, rows)
    return byChannel(made)
  }

  function makeOnce(row: ProviderConfigRow): Made {
    let entry = known.get(row.id)
    if (entry === undefined || entry.row.updated_at.getTime() !== row.updated_at.getTime()) {
      try {
        const previous = entry
        entry = { row, candidate: makeCandidate(row) }
        known.set(row.id, entry)
        if (previous !== undefined) void closeMade(previous)
      } catch (error) {
        options.onError(error, `make provider ${row.name}`)
        const text = `The settings of the provider "${row.name}" do not work.`
        return { row, candidate: unavailable(row, { text, elsewhere: false }) }
      }
    }
    entry.candidate.breaker?.see({ state: row.breaker_state, waitMs: row.breaker_wait_ms })
    return entry
  }

  function makeCandidate(row: ProviderConfigRow): Candidate {
    return row.tenant_id === null
      ? makeEnvironmentCandidate(row, environment, options)
      : makeTenantCandidate(row, options)
  }

  async function closeUnused(tenantId: string | null, active: ProviderConfigRow[]): Promise<void> {
    for (const [id, made] of known) {
      if (made.row.tenant_id !== tenantId || active.some(other => other.id === id)) continue
      known.delete(id)
      await closeMade(made)
    }
  }

  function report(tenantId: string, channel: Channel, { text, elsewhere }: Unavailable): void {
    options.onMissing?.({ tenantId: elsewhere ? null : tenantId, channel, text })
  }

  return {
    async candidates(tenantId, channel) {
      if (channel === 'in_app') return [unguarded(options.builtIn(channel))]
      const own = (await ofTenant(tenantId)).get(channel) ?? NONE
      if (own.usable.length > 0) return own.usable
      const shared = (await ofEnvironment()).get(channel) ?? NONE
      if (shared.usable.length > 0) return shared.usable
      const off = (await offIn(tenantId)).get(channel) ?? NONE
      const waiting = [...shared.unusable, ...own.unusable, ...off.unusable]
      const why = waiting[0]?.unavailable
      if (why === undefined) return [unguarded(options.builtIn(channel))]
      report(tenantId, channel, why)
      return waiting
    },
    async callbackOf(providerId) {
      const row = await selectProviderConfigById(pool, providerId)
      const callback = row && kindNamed(row.kind)?.callback
      if (row === undefined || callback === undefined) return undefined
      return {
        tenantId: row.tenant_id,
        channel: row.channel,
        read: request => callback.read(request, settingsOf(row, options)),
      }
    },
    forget(tenantId) {
      remembered.forget(tenantId)
      switchedOff.forget(tenantId)
    },
    async close() {
      const made = [...known.values()].map(closeMade)
      await Promise.all([...made, ...environment.providers.map(({ provider }) => provider.close())])
    },
  }
}

/** Those of the environment are made once per process, whatever becomes of their row. */
async function closeMade({ row, candidate }: Made): Promise<void> {
  if (row.tenant_id !== null) await candidate.provider.close()
}

function toSwitchedOff(row: ProviderConfigRow): Made {
  const text = `The provider "${row.name}" is switched off.`
  return { row, candidate: unavailable(row, { text, elsewhere: false }) }
}

function byChannel(made: Made[]): CandidatesByChannel {
  const sorted: CandidatesByChannel = new Map()
  for (const { row, candidate } of made) {
    const { usable, unusable } = sorted.get(row.channel) ?? NONE
    sorted.set(
      row.channel,
      candidate.unavailable === undefined
        ? { usable: [...usable, candidate], unusable }
        : { usable, unusable: [...unusable, candidate] },
    )
  }
  return sorted
}
