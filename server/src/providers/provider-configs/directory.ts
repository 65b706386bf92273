/**
 * The providers of each tenant, made and ready: best first per channel. Looked up again every second, so a change
 * takes effect without a restart; a provider is made anew only when its row changed.
 */
import type { Channel } from '@carillon/contract'
import type { DeviceKind } from '../../content/messages/message.ts'
import { raiseSystemEvent, resolveSystemEvents } from '../../oversight/system-events/system-events.ts'
import type { Pool } from '../../platform/database/pool.ts'
import type { HttpClient } from '../../platform/outgoing/http-client.ts'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { storable } from '../../platform/text/cut.ts'
import type { CallbackRequest, Feedback, ProviderKind, ProviderSettings } from '../services/kind.ts'
import { kindNamed } from '../services/kinds.ts'
import type { Provider } from '../services/provider.ts'
import { type Breaker, type BreakerOptions, createBreaker } from './breaker.ts'
import { callbackUrl, unseal } from './provider-configs.ts'
import { type ProviderConfigRow, selectActiveProviderConfigs, selectProviderConfigById } from './queries.ts'
import { createReserve, type Reserve, type ReserveOptions } from './reserve.ts'

const ERROR_LIMIT = 500

/** A provider that may be asked to send, and what guards it. */
export interface Candidate {
  name: string
  provider: Provider
  breaker?: Breaker
  reserve?: Reserve
  devices?: DeviceKind
  reportsBack: boolean
  uncertainPolicy: 'resend' | 'ask' | 'hold'
}

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
  candidates(tenantId: string, channel: Channel): Promise<Candidate[]>
  forget(tenantId: string): void
  close(): Promise<void>
}

export interface DirectoryOptions extends ReserveOptions {
  keyring: Keyring
  http: HttpClient
  http2: HttpClient
  publicUrl: string
  /** What serves a channel for which the tenant has nothing configured. */
  fallback: (channel: Channel) => Provider
  onError: (error: unknown, doing: string) => void
  rememberMs?: number
  breaker?: Pick<BreakerOptions, 'threshold' | 'coolDownMs'>
}

interface Made {
  row: ProviderConfigRow
  candidate: Candidate
}

type CandidatesByChannel = Map<Channel, Candidate[]>

export function createProviderDirectory(options: DirectoryOptions): ProviderDirectory {
  const tenants = new Map<string, { until: number; candidates: Promise<CandidatesByChannel> }>()
  const known = new Map<string, Made>()

  async function load(tenantId: string): Promise<CandidatesByChannel> {
    const rows = await selectActiveProviderConfigs(options.pool, tenantId)
    const made = rows.map(makeOnce).filter(entry => entry !== undefined)
    await closeUnused(tenantId, rows)
    return byChannel(made)
  }

  function makeOnce(row: ProviderConfigRow): Made | undefined {
    let entry = known.get(row.id)
    if (entry === undefined || entry.row.updated_at.getTime() !== row.updated_at.getTime()) {
      try {
        const previous = entry?.candidate.provider
        entry = { row, candidate: makeCandidate(row, options) }
        known.set(row.id, entry)
        void previous?.close()
      } catch (error) {
        options.onError(error, `make provider ${row.name}`)
        return undefined
      }
    }
    entry.candidate.breaker?.see({ state: row.breaker_state, retryAt: row.breaker_retry_at })
    return entry
  }

  async function closeUnused(tenantId: string, active: ProviderConfigRow[]): Promise<void> {
    for (const [id, { row, candidate }] of known) {
      if (row.tenant_id !== tenantId || active.some(other => other.id === id)) continue
      known.delete(id)
      await candidate.provider.close()
    }
  }

  function remembered(tenantId: string): Promise<CandidatesByChannel> {
    const entry = tenants.get(tenantId)
    if (entry !== undefined && entry.until > Date.now()) return entry.candidates
    const candidates = load(tenantId)
    tenants.set(tenantId, { until: Date.now() + (options.rememberMs ?? 1000), candidates })
    candidates.catch(() => tenants.delete(tenantId))
    return candidates
  }

  return {
    async candidates(tenantId, channel) {
      const configured = channel === 'in_app' ? undefined : (await remembered(tenantId)).get(channel)
      if (configured !== undefined) return configured
      const provider = options.fallback(channel)
      return [{ name: provider.name, provider, reportsBack: false, uncertainPolicy: 'resend' }]
    },
    async callbackOf(providerId) {
      const row = await selectProviderConfigById(options.pool, providerId)
      const callback = row && kindNamed(row.kind)?.callback
      if (row === undefined || callback === undefined) return undefined
      return {
        tenantId: row.tenant_id,
        channel: row.channel,
        read: request => callback.read(request, settingsOf(row, options)),
      }
    },
    forget: tenantId => void tenants.delete(tenantId),
    async close() {
      await Promise.all([...known.values()].map(({ candidate }) => candidate.provider.close()))
    },
  }
}

/** Sorted out once and not for every message; the order stays. */
function byChannel(made: Made[]): CandidatesByChannel {
  const candidates: CandidatesByChannel = new Map()
  for (const { row, candidate } of made) {
    candidates.set(row.channel, [...(candidates.get(row.channel) ?? []), candidate])
  }
  return candidates
}

function settingsOf(row: ProviderConfigRow, options: DirectoryOptions): ProviderSettings<unknown, unknown> {
  const kind = knownKind(row)
  return {
    name: row.name,
    config: kind.config.parse(row.config),
    secrets: kind.secrets.parse(unseal(options.keyring, row)),
    timeoutMs: row.timeout_seconds * 1000,
    http: options.http,
    http2: options.http2,
    callbackUrl: options.publicUrl === '' ? undefined : callbackUrl(options.publicUrl, row.id),
    now: Date.now,
  }
}

function knownKind(row: ProviderConfigRow): ProviderKind {
  const kind = kindNamed(row.kind)
  if (kind === undefined) throw new Error(`There is no provider kind "${row.kind}" in this version.`)
  return kind
}

function makeCandidate(row: ProviderConfigRow, options: DirectoryOptions): Candidate {
  const kind = knownKind(row)
  const provider = kind.create(settingsOf(row, options))
  const breaker = createBreaker({
    pool: options.pool,
    providerId: row.id,
    probeMs: row.timeout_seconds * 1000 + 5000,
    onOpened: error => raiseDown(options.pool, row, error),
    onClosed: () => resolveSystemEvents(options.pool, row.tenant_id, 'provider_down', row.name),
    ...options.breaker,
  })
  return {
    name: row.name,
    provider,
    ...(!kind.recipientEndpoints && { breaker }),
    ...(row.rate_limit !== null && { reserve: createReserve(options, row.id, row.rate_limit) }),
    ...(kind.devices && { devices: kind.devices }),
    reportsBack: kind.callback !== undefined,
    uncertainPolicy: row.uncertain_policy,
  }
}

async function raiseDown(pool: Pool, row: ProviderConfigRow, error: string): Promise<void> {
  await raiseSystemEvent(pool, {
    tenant_id: row.tenant_id,
    event_type: 'provider_down',
    subject: row.name,
    severity: 'high',
    description: `The provider "${row.name}" keeps failing and is not asked until it recovers.`,
    details: { provider_id: row.id, channel: row.channel, last_error: storable(error, ERROR_LIMIT) },
  })
}
