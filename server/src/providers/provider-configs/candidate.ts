/** A provider that may be asked to send, behind what guards it: its breaker and its rate, both shared by all processes. */
import type { DeviceKind } from '../../content/messages/message.ts'
import { raiseSystemEvent, resolveSystemEvents } from '../../oversight/system-events/system-events.ts'
import type { Pool } from '../../platform/database/pool.ts'
import type { HttpClient } from '../../platform/outgoing/http-client.ts'
import { createReserve, type Reserve, type ReserveOptions } from '../../platform/rates/reserve.ts'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { storable } from '../../platform/text/cut.ts'
import type { ProviderKind, ProviderSettings } from '../services/kind.ts'
import { kindNamed } from '../services/kinds.ts'
import type { Provider } from '../services/provider.ts'
import { type Breaker, type BreakerOptions, createBreaker } from './breaker.ts'
import { callbackUrl, unseal } from './provider-configs.ts'
import type { ProviderConfigRow, TenantProviderRow } from './queries.ts'

const ERROR_LIMIT = 500

export interface Candidate {
  /** '' of what is built in. */
  id: string
  name: string
  provider: Provider
  breaker?: Breaker
  reserve?: Reserve
  devices?: DeviceKind
  reportsBack: boolean
  uncertainPolicy: 'resend' | 'ask' | 'hold'
  /** Why it cannot be asked here and now. */
  unavailable?: Unavailable
}

export interface Unavailable {
  text: string
  /** Another process may be able to ask it. */
  elsewhere: boolean
}

export interface CandidateOptions extends ReserveOptions {
  keyring: Keyring
  http: HttpClient
  http2: HttpClient
  publicUrl: string
  breaker?: Pick<BreakerOptions, 'threshold' | 'coolDownMs'>
}

/** Throws when the settings do not work. */
export function makeTenantCandidate(row: TenantProviderRow, options: CandidateOptions): Candidate {
  const kind = knownKind(row)
  return {
    ...guarded(row, kind.create(settingsOf(row, options)), options, kind.recipientEndpoints !== true),
    ...(kind.devices && { devices: kind.devices }),
    reportsBack: kind.callback !== undefined,
  }
}

/** The provider behind the breaker and the rate of its row. */
export function guarded(
  row: ProviderConfigRow,
  provider: Provider,
  options: CandidateOptions,
  hasBreaker = true,
): Candidate {
  const breaker = createBreaker({
    pool: options.pool,
    providerId: row.id,
    probeMs: row.timeout_seconds * 1000 + 5000,
    onOpened: error => raiseDown(options.pool, row, error),
    onClosed: () => resolveSystemEvents(options.pool, row.tenant_id, 'provider_down', row.name),
    ...options.breaker,
  })
  return {
    id: row.id,
    name: row.name,
    provider,
    ...(hasBreaker && { breaker }),
    ...(row.rate_limit !== null && { reserve: createReserve(options, row.id, row.rate_limit) }),
    reportsBack: false,
    uncertainPolicy: row.uncertain_policy,
  }
}

/** Nothing stands before the inbox and the captured messages. */
export function unguarded(provider: Provider): Candidate {
  return { id: '', name: provider.name, provider, reportsBack: false, uncertainPolicy: 'resend' }
}

export function unavailable(row: { id: string; name: string }, why: Unavailable): Candidate {
  return {
    id: row.id,
    name: row.name,
    provider: {
      name: row.name,
      send: async () => ({ kind: 'retry', message: why.text }),
      close: async () => {},
    },
    reportsBack: false,
    uncertainPolicy: 'resend',
    unavailable: why,
  }
}

export function settingsOf(
  row: TenantProviderRow,
  options: CandidateOptions,
): ProviderSettings<unknown, unknown> {
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

/** About a provider of the environment the operator hears, and no tenant. */
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
