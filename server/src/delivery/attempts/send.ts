/**
 * Sends one message through the best available provider: its breaker and rate limit are asked first, and the next provider
 * is tried as long as the failure is the provider's fault and not the message's.
 */
import { performance } from 'node:perf_hooks'
import type { ProviderCall } from '@carillon/contract'
import type { Message } from '../../content/messages/message.ts'
import type { Outcome } from '../../providers/services/provider.ts'
import { type Obstacle, postpone, type Skip, skip } from '../gates/obstacle.ts'

/** What delivery needs to know of a provider; it comes from the directory of providers. */
export interface Candidate {
  name: string
  provider: {
    send(message: Message, signal: AbortSignal): Promise<Outcome>
    wasSent?(message: Message, signal: AbortSignal): Promise<boolean | undefined>
  }
  breaker?: {
    admits(): Promise<boolean>
    succeeded(): Promise<void>
    failed(error: string): Promise<void>
    waitMs(): number
  }
  /** Takes one send from the rate limit; if none is left, answers how many milliseconds to wait. */
  reserve?: () => Promise<number | undefined>
  /** The kind of devices it sends to; undefined if it does not send to devices. */
  devices?: string
  reportsBack: boolean
  uncertainPolicy: 'resend' | 'ask' | 'hold'
  /** Why this process cannot send through it now. `elsewhere`: another process can. */
  unavailable?: { text: string; elsewhere: boolean }
}

/** Long, as it does not pass by itself: a provider has to be switched on or set up, or another process takes the route. */
const UNAVAILABLE_DELAY_MS = 15_000

export type SendResult =
  | { kind: 'outcome'; outcome: Outcome; candidate: Candidate; calls: ProviderCall[] }
  | { kind: 'obstacle'; obstacle: Obstacle; calls: ProviderCall[] }

export async function sendThrough(
  candidates: Candidate[],
  message: Message,
  signal: AbortSignal,
): Promise<SendResult> {
  const calls: ProviderCall[] = []
  let last: { outcome: Outcome; candidate: Candidate } | undefined
  let shortestWaitMs = Number.POSITIVE_INFINITY
  let unavailable: string | undefined

  for (const candidate of candidates.filter(each => canReach(each, message))) {
    if (candidate.unavailable !== undefined) {
      unavailable ??= candidate.unavailable.text
      continue
    }
    if (candidate.breaker !== undefined && !(await candidate.breaker.admits())) {
      shortestWaitMs = Math.min(shortestWaitMs, candidate.breaker.waitMs())
      continue
    }
    const rateWaitMs = await candidate.reserve?.()
    if (rateWaitMs !== undefined) {
      if (last !== undefined) break
      const text = `The rate limit of "${candidate.name}" is used up.`
      return { kind: 'obstacle', obstacle: postpone('provider_rate', text, rateWaitMs), calls }
    }
    const start = performance.now()
    const outcome = await sendOnce(candidate, message, signal)
    calls.push(toCall(candidate, outcome, performance.now() - start))
    last = { outcome, candidate }
    // The outcome of the message stands, even if the breaker cannot be updated. What we broke off ourselves, because
    // this process stops, must not take the provider from the others.
    if (!signal.aborted) await updateBreaker(candidate, outcome).catch(() => {})
    if (!isProvidersFault(outcome)) break
  }

  if (last !== undefined) return { kind: 'outcome', ...last, calls }
  if (Number.isFinite(shortestWaitMs)) {
    const text = 'Every provider of the channel is failing; waiting for one to recover.'
    return { kind: 'obstacle', obstacle: postpone('provider_down', text, shortestWaitMs), calls }
  }
  if (unavailable !== undefined) {
    return { kind: 'obstacle', obstacle: postpone('no_provider', unavailable, UNAVAILABLE_DELAY_MS), calls }
  }
  return { kind: 'obstacle', obstacle: NO_DEVICE, calls }
}

export const NO_DEVICE: Skip = skip(
  'no_device',
  'The person has no device that a provider of this channel reaches.',
)

export function canReach({ devices }: Candidate, message: Message): boolean {
  return devices === undefined || message.devices.some(device => device.kind === devices)
}

/** Sends once; if no answer came, the provider's policy says what to do. */
async function sendOnce(candidate: Candidate, message: Message, signal: AbortSignal): Promise<Outcome> {
  const outcome = await candidate.provider.send(message, signal).catch(brokenProvider)
  if (outcome.kind !== 'uncertain') return outcome
  if (candidate.uncertainPolicy === 'hold') {
    return { ...outcome, message: `${outcome.message}; held, as it may have arrived`, hold: true }
  }
  if (candidate.uncertainPolicy === 'ask' && candidate.provider.wasSent !== undefined) {
    const wasSent = await candidate.provider.wasSent(message, signal).catch(() => undefined)
    if (wasSent === true) return { kind: 'sent', response: 'no answer came, but the service has the message' }
    if (wasSent === false)
      return { kind: 'retry', message: `${outcome.message}; the service does not have the message` }
  }
  return outcome
}

/** A provider that throws has a bug; the route is tried again within its budget. */
function brokenProvider(error: unknown): Outcome {
  return { kind: 'retry', message: `The provider failed unexpectedly: ${(error as Error).message}` }
}

/** Then another provider may succeed. Not after `uncertain`: the message may already have arrived. */
function isProvidersFault(outcome: Outcome): boolean {
  return outcome.kind === 'retry' || outcome.kind === 'rate_limited' || outcome.kind === 'config'
}

/** A rate limit counts as success: it is the answer of a healthy provider. */
async function updateBreaker({ breaker }: Candidate, outcome: Outcome): Promise<void> {
  if (breaker === undefined || (outcome.kind === 'retry' && outcome.is_own)) return
  const isFailure = outcome.kind === 'retry' || outcome.kind === 'config' || outcome.kind === 'uncertain'
  await (isFailure ? breaker.failed(outcome.message) : breaker.succeeded())
}

function toCall(candidate: Candidate, outcome: Outcome, durationMs: number): ProviderCall {
  const message = outcome.kind === 'sent' ? '' : outcome.message
  return { provider: candidate.name, outcome: outcome.kind, message, duration_ms: Math.round(durationMs) }
}
