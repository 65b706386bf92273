/**
 * The providers of each tenant, ready to send: per channel, best first. The rows are read again every second, so a change
 * takes effect without a restart; a provider is created again only if its row has changed.
 */
import type { Channel } from '@carillon/contract'
import { createMemory } from '../../platform/memory/remember.ts'
import { UnreadableSecret } from '../../platform/secrets/sealed-rows.ts'
import type { Environment } from '../services/environment.ts'
import type { CallbackAnswer, CallbackRequest, Feedback } from '../services/kind.ts'
import { kindNamed } from '../services/kinds.ts'
import type { Provider, Receipts } from '../services/provider.ts'
import {
  type Candidate,
  type CandidateOptions,
  makeTenantCandidate,
  settingsOf,
  type Unavailable,
  UnusableSettings,
  unavailable,
  unguarded,
} from './candidate.ts'
import type { NamedProvider } from './down.ts'
import { loadEnvironment, makeEnvironmentCandidate } from './environment.ts'
import type { MissingProvider } from './missing.ts'
import {
  type ProviderConfigRow,
  selectActiveIds,
  selectActiveProviderConfigs,
  selectProviderConfigById,
  selectProviderConfigs,
} from './queries.ts'

/** How to read the reports of one provider. */
export interface ProviderCallback {
  tenantId: string
  channel: Channel
  read(request: CallbackRequest): Promise<Feedback[]>
  answer: CallbackAnswer | undefined
}

export interface ProviderConfigs {
  /** undefined if there is no such provider, or if its kind does not report back. */
  callbackOf(providerId: string): Promise<ProviderCallback | undefined>
}

/** A provider that tells later what became of messages. */
export interface ReceiptSource extends Receipts {
  provider: NamedProvider
}

export interface ProviderDirectory extends ProviderConfigs {
  /**
   * For sending: the tenant's own providers; if there are none, those from the environment; if there are none either, the
   * built-in one. If the channel has providers but none can be used, they are returned as unavailable, so that nothing is
   * captured, and reported as missing.
   */
  candidates(tenantId: string, channel: Channel): Promise<Candidate[]>
  /** The same for callers that only want to know: nothing is reported. */
  peekCandidates(tenantId: string, channel: Channel): Promise<Candidate[]>
  /** undefined if the tenant has no such provider now, or it issues no tickets. */
  receiptsOf(tenantId: string, providerId: string): Promise<ReceiptSource | undefined>
  /** A provider of the tenant has changed. */
  forget(tenantId: string): void
  /** Ends what is being sent through providers that were removed or switched off since. */
  releaseRemoved(): Promise<void>
  close(): Promise<void>
}

export interface DirectoryOptions extends CandidateOptions {
  environment: Environment
  /** The inbox, and the provider that captures what is sent on other channels. */
  builtIn: (channel: Channel) => Provider
  onError: (error: unknown, doing: string) => void
  /** Called when messages have to wait because no provider can be used. */
  onMissing?: (missing: MissingProvider) => void
  rememberMs?: number
}

interface Entry {
  row: ProviderConfigRow
  candidate: Candidate
}

interface Found {
  candidates: Candidate[]
  /** Why none of them can be used. */
  missing?: Unavailable
}

/** Separated once when the rows are read, and not for every message; the order is kept. */
type CandidatesByChannel = Map<Channel, { usable: Candidate[]; unusable: Candidate[] }>

const NONE = { usable: [], unusable: [] }
/** A key next to the tenants' ids. */
const ENVIRONMENT = 'environment'

export function createProviderDirectory(options: DirectoryOptions): ProviderDirectory {
  const { pool, environment } = options
  const memory = { forMs: options.rememberMs ?? 1000, now: Date.now }
  const remembered = createMemory<CandidatesByChannel>(memory)
  const switchedOff = createMemory<CandidatesByChannel>(memory)
  const entries = new Map<string, Entry>()
  /** Replaced, but still in use. */
  const retired = new Set<Entry>()

  const ofTenant = (tenantId: string) =>
    remembered.get(tenantId, async () => refresh(tenantId, await selectActiveProviderConfigs(pool, tenantId)))
  const ofEnvironment = () =>
    remembered.get(ENVIRONMENT, async () =>
      refresh(null, await loadEnvironment(pool, environment, options.keyring)),
    )
  const offIn = (tenantId: string) =>
    switchedOff.get(tenantId, async () => {
      const rows = await selectProviderConfigs(pool, tenantId)
      return byChannel(rows.filter(row => !row.is_active).map(toSwitchedOff))
    })

  async function refresh(tenantId: string | null, rows: ProviderConfigRow[]): Promise<CandidatesByChannel> {
    const current = rows.map(refreshEntry)
    await closeUnused(tenantId, rows)
    return byChannel(current)
  }

  function refreshEntry(row: ProviderConfigRow): Entry {
    let entry = entries.get(row.id)
    if (entry === undefined || entry.row.updated_at.getTime() !== row.updated_at.getTime()) {
      try {
        const previous = entry
        entry = { row, candidate: makeCandidate(row) }
        entries.set(row.id, entry)
        if (previous !== undefined) retire(previous)
      } catch (error) {
        options.onError(error, `create provider ${row.name}`)
        return { row, candidate: unavailable(row, whyUnavailable(row, error)) }
      }
    }
    entry.candidate.breaker?.refresh({ state: row.breaker_state, waitMs: row.breaker_wait_ms })
    return entry
  }

  function makeCandidate(row: ProviderConfigRow): Candidate {
    return row.tenant_id === null
      ? makeEnvironmentCandidate(row, environment, options)
      : makeTenantCandidate(row, options)
  }

  async function closeUnused(tenantId: string | null, active: ProviderConfigRow[]): Promise<void> {
    for (const [id, entry] of entries) {
      if (entry.row.tenant_id !== tenantId || active.some(other => other.id === id)) continue
      entries.delete(id)
      await closeEntry(entry)
    }
  }

  /** After a change of its settings: what is being sent is finished with the old ones. */
  function retire(entry: Entry): void {
    retired.add(entry)
    const close = async () => {
      await entry.candidate.releasable?.whenIdle()
      retired.delete(entry)
      await closeEntry(entry)
    }
    close().catch(error => options.onError(error, `close provider ${entry.row.name}`))
  }

  async function releaseRemoved(): Promise<void> {
    const inUse = [...entries.values(), ...retired].filter(entry => entry.candidate.releasable?.isInUse())
    if (inUse.length === 0) return
    const active = await selectActiveIds(
      pool,
      inUse.map(({ row }) => row.id),
    )
    for (const entry of inUse.filter(({ row }) => !active.has(row.id))) {
      if (entries.get(entry.row.id) === entry) entries.delete(entry.row.id)
      await closeEntry(entry)
    }
  }

  async function find(tenantId: string, channel: Channel): Promise<Found> {
    if (channel === 'in_app') return { candidates: [unguarded(options.builtIn(channel))] }
    const own = (await ofTenant(tenantId)).get(channel) ?? NONE
    if (own.usable.length > 0) return { candidates: own.usable }
    // Not through the environment's: it would send under another account and sender than the tenant's own.
    const broken = own.unusable[0]?.unavailable
    if (broken !== undefined) return { candidates: own.unusable, missing: broken }
    const shared = (await ofEnvironment()).get(channel) ?? NONE
    if (shared.usable.length > 0) return { candidates: shared.usable }
    const off = (await offIn(tenantId)).get(channel) ?? NONE
    const waiting = [...shared.unusable, ...off.unusable]
    const missing = waiting[0]?.unavailable
    if (missing === undefined) return { candidates: [unguarded(options.builtIn(channel))] }
    return { candidates: waiting, missing }
  }

  return {
    async candidates(tenantId, channel) {
      const { candidates, missing } = await find(tenantId, channel)
      if (missing !== undefined) {
        const { text, elsewhere } = missing
        options.onMissing?.({ tenantId: elsewhere ? null : tenantId, channel, text })
      }
      return candidates
    },
    async peekCandidates(tenantId, channel) {
      return (await find(tenantId, channel)).candidates
    },
    async receiptsOf(tenantId, providerId) {
      const { candidates } = await find(tenantId, 'push')
      const receipts = candidates.find(({ id }) => id === providerId)?.provider.receipts
      const row = entries.get(providerId)?.row
      return receipts && row && { provider: row, fetch: receipts.fetch }
    },
    async callbackOf(providerId) {
      const row = await selectProviderConfigById(pool, providerId)
      const callback = row && kindNamed(row.kind)?.callback
      if (row === undefined || callback === undefined) return undefined
      return {
        tenantId: row.tenant_id,
        channel: row.channel,
        read: request => callback.read(request, settingsOf(row, options)),
        answer: callback.answer,
      }
    },
    forget(tenantId) {
      remembered.forget(tenantId)
      switchedOff.forget(tenantId)
      releaseRemoved().catch(error => options.onError(error, 'release removed providers'))
    },
    releaseRemoved,
    async close() {
      const closing = [...entries.values(), ...retired].map(closeEntry)
      await Promise.all([...closing, ...environment.providers.map(({ provider }) => provider.close())])
    },
  }
}

/** Providers from the environment live as long as the process, whatever becomes of their rows. */
async function closeEntry({ row, candidate }: Entry): Promise<void> {
  if (row.tenant_id === null) return
  candidate.releasable?.release()
  await candidate.provider.close()
}

/** A process that lacks the master key cannot tell whether the settings work. */
function whyUnavailable(row: ProviderConfigRow, error: unknown): Unavailable {
  if (error instanceof UnreadableSecret) {
    const text = `The secrets of the provider "${row.name}" cannot be opened by this process. ${error.message}`
    return { text, elsewhere: true }
  }
  const why = error instanceof UnusableSettings ? ` ${error.message}` : ''
  return { text: `The settings of the provider "${row.name}" do not work.${why}`, elsewhere: false }
}

function toSwitchedOff(row: ProviderConfigRow): Entry {
  const text = `The provider "${row.name}" is switched off.`
  return { row, candidate: unavailable(row, { text, elsewhere: false }) }
}

function byChannel(entries: Entry[]): CandidatesByChannel {
  const sorted: CandidatesByChannel = new Map()
  for (const { row, candidate } of entries) {
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
