/** A provider that messages may be sent through, with its breaker and its rate limit, which all processes share. */
import type { z } from 'zod'
import type { DeviceKind } from '../../content/messages/message.ts'
import { Refusal } from '../../platform/calls/refusal.ts'
import type { HttpClient } from '../../platform/outgoing/http-client.ts'
import {
  createRateView,
  createReserve,
  type RateView,
  type Reserve,
  type ReserveOptions,
} from '../../platform/rates/reserve.ts'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import type { ProviderKind, ProviderSettings } from '../services/kind.ts'
import { kindNamed } from '../services/kinds.ts'
import type { Provider } from '../services/provider.ts'
import { type AccountWatch, createAccountWatch } from './account-watch.ts'
import { type Breaker, type BreakerOptions, createBreaker } from './breaker.ts'
import { raiseDown, resolveDown } from './down.ts'
import { callbackUrl, checkPart, unseal } from './provider-configs.ts'
import type { ProviderConfigRow, TenantProviderRow } from './queries.ts'
import { makeReleasable, type Releasable } from './release.ts'

/** A probe may use the provider's whole timeout; this much is added for what happens around the call. */
const PROBE_MARGIN_MS = 5000

export interface Candidate {
  /** Empty for built-in providers. */
  id: string
  name: string
  provider: Provider
  breaker?: Breaker
  account?: AccountWatch
  reserve?: Reserve
  /** What is left of the rate, for those who take nothing from it. */
  rateLeft?: RateView
  devices?: DeviceKind
  reportsBack: boolean
  uncertainPolicy: 'resend' | 'ask' | 'hold'
  /** Why this process cannot send through it now. */
  unavailable?: Unavailable
  /** For tenants' providers, which may be removed while messages are being sent. */
  releasable?: Releasable
}

export interface Unavailable {
  text: string
  /** Another process may be able to send through it. */
  elsewhere: boolean
}

/** Stored before they were checked as they are now. */
export class UnusableSettings extends Error {}

export interface CandidateOptions extends ReserveOptions {
  keyring: Keyring
  http: HttpClient
  http2: HttpClient
  publicUrl: string
  breaker?: Pick<BreakerOptions, 'threshold' | 'coolDownMs'>
}

/** Throws if the settings do not work. */
export function makeTenantCandidate(row: TenantProviderRow, options: CandidateOptions): Candidate {
  const kind = knownKind(row)
  const releasable = makeReleasable(kind.create(settingsOf(row, options)))
  return {
    ...guarded(row, releasable.provider, options, kind.recipientEndpoints !== true),
    releasable,
    ...(kind.devices && { devices: kind.devices }),
    reportsBack: kind.callback !== undefined,
  }
}

/** The provider with the breaker and the rate limit of its row. */
export function guarded(
  row: ProviderConfigRow,
  provider: Provider,
  options: CandidateOptions,
  hasBreaker = true,
): Candidate {
  const breaker = createBreaker({
    pool: options.pool,
    providerId: row.id,
    probeTimeoutMs: row.timeout_seconds * 1000 + PROBE_MARGIN_MS,
    onOpened: (tx, error) => raiseDown(tx, row, error),
    onClosed: tx => resolveDown(tx, row),
    ...options.breaker,
  })
  return {
    id: row.id,
    name: row.name,
    provider,
    ...(hasBreaker && { breaker }),
    account: createAccountWatch(options.pool, row),
    ...(row.rate_limit !== null && {
      reserve: createReserve(options, row.id, row.rate_limit),
      rateLeft: createRateView(options, row.id, row.rate_limit),
    }),
    reportsBack: false,
    uncertainPolicy: row.uncertain_policy,
  }
}

/** The inbox and the captured messages need neither a breaker nor a rate limit. */
export function unguarded(provider: Provider): Candidate {
  return { id: '', name: provider.name, provider, reportsBack: false, uncertainPolicy: 'resend' }
}

export function unavailable(row: { id: string; name: string }, why: Unavailable): Candidate {
  return { ...unguarded(unavailableProvider(row.name, why)), id: row.id, unavailable: why }
}

/** Stands in for a provider that this process cannot call. */
export function unavailableProvider(name: string, { text }: Unavailable): Provider {
  return { name, send: async () => ({ kind: 'retry', message: text }), close: async () => {} }
}

export function settingsOf(
  row: TenantProviderRow,
  options: CandidateOptions,
): ProviderSettings<unknown, unknown> {
  const kind = knownKind(row)
  return {
    name: row.name,
    config: partOf(kind.config, row.config, 'config'),
    secrets: partOf(kind.secrets, unseal(options.keyring, row), 'secrets'),
    timeoutMs: row.timeout_seconds * 1000,
    http: options.http,
    http2: options.http2,
    callbackUrl: options.publicUrl === '' ? undefined : callbackUrl(options.publicUrl, row.id),
    now: Date.now,
  }
}

function partOf(schema: z.ZodType, stored: unknown, part: 'config' | 'secrets'): unknown {
  try {
    return checkPart(schema, stored, part)
  } catch (error) {
    throw error instanceof Refusal ? new UnusableSettings(error.message) : error
  }
}

function knownKind(row: ProviderConfigRow): ProviderKind {
  const kind = kindNamed(row.kind)
  if (kind === undefined) throw new Error(`There is no provider kind "${row.kind}" in this version.`)
  return kind
}
