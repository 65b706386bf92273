/**
 * Sends one message through the best available provider: its breaker and rate limit are asked first, and the next provider
 * is tried as long as the message has not been refused for good and cannot have arrived.
 */
import { performance } from 'node:perf_hooks'
import type { ProviderCall } from '@carillon/contract'
import type { Message } from '../../content/messages/message.ts'
import { faultOf, type Outcome } from '../../providers/services/provider.ts'
import { type Obstacle, type Postpone, postpone, type Skip, skip } from '../gates/obstacle.ts'

/** What delivery needs to know of a provider; it comes from the directory of providers. */
export interface Candidate {
  name: string
  provider: {
    send(message: Message, signal: AbortSignal): Promise<Outcome>
    wasSent?(message: Message, signal: AbortSignal): Promise<boolean | undefined>
  }
  breaker?: {
    /** undefined while no message may be sent. */
    admit(): Promise<Pass | undefined>
    /** How long to wait; 0 if a message would be admitted now. */
    waitMs(): number
  }
  /** Is told what the service thinks of our account: its credentials, its sender, its permissions. */
  account?: {
    accepted(): Promise<void>
    refused(error: string): Promise<void>
  }
  /** Takes one send from the rate limit; if none is left, answers how many milliseconds to wait. */
  reserve?: () => Promise<number | undefined>
  /** What is left of the rate limit; takes nothing from it. */
  rateLeft?: () => Promise<{ left: number; wait_ms: number }>
  /** The kind of devices it sends to; undefined if it does not send to devices. */
  devices?: string
  reportsBack: boolean
  uncertainPolicy: 'resend' | 'ask' | 'hold'
  /** Why this process cannot send through it now. `elsewhere`: another process can. */
  unavailable?: { text: string; elsewhere: boolean }
}

/** A breaker's permission to send one message. It has to be told what came of it, or it waits for a lost probe. */
export interface Pass {
  succeeded(): Promise<void>
  failed(error: string): Promise<void>
  /** Nothing was learnt about the provider; there is no point in another probe before `waitMs` are over. */
  inconclusive(waitMs?: number): Promise<void>
}

/** Long, as it does not pass by itself: a provider has to be switched on or set up, or another process takes the route. */
const UNAVAILABLE_DELAY_MS = 15_000
/** When another process is probing the provider, this one cannot know for how long. */
const MIN_BREAKER_DELAY_MS = 1000

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
  let shortestWaitMs: number | undefined
  let unavailable: string | undefined

  for (const candidate of candidates.filter(each => canReach(each, message))) {
    if (candidate.unavailable !== undefined) {
      unavailable ??= candidate.unavailable.text
      continue
    }
    const { breaker } = candidate
    const pass = breaker === undefined ? UNGUARDED : await breaker.admit()
    if (pass === undefined) {
      const waitMs = Math.max(MIN_BREAKER_DELAY_MS, breaker?.waitMs() ?? 0)
      shortestWaitMs = Math.min(shortestWaitMs ?? waitMs, waitMs)
      continue
    }
    const rateWaitMs = await reserve(candidate, pass)
    if (rateWaitMs !== undefined) {
      if (last !== undefined) break
      return { kind: 'obstacle', obstacle: rateUsedUp(candidate, rateWaitMs), calls }
    }
    const start = performance.now()
    const outcome = await sendOnce(candidate, message, signal)
    calls.push(toCall(candidate, outcome, performance.now() - start))
    last = { outcome, candidate }
    // The outcome of the message stands, even if the breaker cannot be updated.
    await updateBreaker(pass, outcome).catch(() => {})
    await watchAccount(candidate, outcome).catch(() => {})
    if (!mayTryAnother(outcome)) break
  }

  if (last !== undefined) return { kind: 'outcome', ...last, calls }
  return { kind: 'obstacle', obstacle: noneAdmits({ shortestWaitMs, unavailable }), calls }
}

const UNGUARDED: Pass = {
  succeeded: async () => {},
  failed: async () => {},
  inconclusive: async () => {},
}

/**
 * Asked after the breaker, so that a failing provider uses up no rate. If nothing is left, the pass goes back unused: it may
 * be the probe, and no message would ever report its outcome.
 */
async function reserve(candidate: Candidate, pass: Pass): Promise<number | undefined> {
  if (candidate.reserve === undefined) return undefined
  try {
    const waitMs = await candidate.reserve()
    if (waitMs !== undefined) await pass.inconclusive(waitMs).catch(() => {})
    return waitMs
  } catch (error) {
    await pass.inconclusive().catch(() => {})
    throw error
  }
}

/** For simulation too, as are the other reasons why no provider takes a message. */
export function rateUsedUp({ name }: Candidate, waitMs: number): Postpone<'provider_rate'> {
  return postpone('provider_rate', `The rate limit of "${name}" is used up.`, waitMs)
}

export function noneAdmits(refused: {
  /** Of the breakers that are open. */
  shortestWaitMs: number | undefined
  /** Why a provider cannot be used. */
  unavailable: string | undefined
}): Postpone<'provider_down' | 'no_provider'> | Skip {
  if (refused.shortestWaitMs !== undefined) {
    const text = 'Every provider of the channel is failing; waiting for one to recover.'
    return postpone('provider_down', text, refused.shortestWaitMs)
  }
  if (refused.unavailable !== undefined) {
    return postpone('no_provider', refused.unavailable, UNAVAILABLE_DELAY_MS)
  }
  return NO_DEVICE
}

const NO_DEVICE: Skip = skip('no_device', 'The person has no device that a provider of this channel reaches.')

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
function mayTryAnother(outcome: Outcome): boolean {
  return outcome.kind === 'retry' || outcome.kind === 'rate_limited' || outcome.kind === 'config'
}

/**
 * Only the provider's own fault counts against it. Refusals and rate limits are answers of a provider that works; what else
 * is the fault of the message, its recipient or our account may have failed before the provider was even called.
 */
async function updateBreaker(pass: Pass, outcome: Outcome): Promise<void> {
  if (outcome.kind === 'sent' || outcome.kind === 'permanent' || outcome.kind === 'rate_limited')
    return pass.succeeded()
  await (faultOf(outcome) === 'provider' ? pass.failed(outcome.message) : pass.inconclusive())
}

/** So that operators hear of an account that is refused again and again, although it opens no breaker. */
async function watchAccount({ account }: Candidate, outcome: Outcome): Promise<void> {
  if (outcome.kind === 'sent') await account?.accepted()
  else if (outcome.kind === 'config' && faultOf(outcome) === 'account')
    await account?.refused(outcome.message)
}

function toCall(candidate: Candidate, outcome: Outcome, durationMs: number): ProviderCall {
  const message = outcome.kind === 'sent' ? '' : outcome.message
  return { provider: candidate.name, outcome: outcome.kind, message, duration_ms: Math.round(durationMs) }
}
