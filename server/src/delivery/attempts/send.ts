/**
 * Sending one message through the best provider that can: rate first, then one provider after the other as long as the
 * failure is the provider's and not the message's.
 */
import { performance } from 'node:perf_hooks'
import type { ProviderCall } from '@carillon/contract'
import type { Message } from '../../content/messages/message.ts'
import type { Outcome } from '../../providers/services/provider.ts'
import { type Obstacle, postpone, type Skip, skip } from '../gates/obstacle.ts'

/** What delivery needs to know of a provider; the directory of providers gives it. */
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
  reserve?: () => Promise<number | undefined>
  devices?: string
  reportsBack: boolean
  uncertainPolicy: 'resend' | 'ask' | 'hold'
  /** Why it cannot be asked here and now. */
  unavailable?: { text: string; elsewhere: boolean }
}

/** Nothing here changes by itself: a provider has to be switched on or set up, or another process takes the route. */
const UNAVAILABLE_MS = 15_000

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
  let shortestWait = Number.POSITIVE_INFINITY
  let unavailable: string | undefined

  for (const candidate of candidates.filter(each => reaches(each, message))) {
    if (candidate.unavailable !== undefined) {
      unavailable ??= candidate.unavailable.text
      continue
    }
    if (candidate.breaker !== undefined && !(await candidate.breaker.admits())) {
      shortestWait = Math.min(shortestWait, candidate.breaker.waitMs())
      continue
    }
    const wait = await candidate.reserve?.()
    if (wait !== undefined) {
      if (last !== undefined) break
      const text = `The rate limit of "${candidate.name}" is used up.`
      return { kind: 'obstacle', obstacle: postpone('provider_rate', text, wait), calls }
    }
    const start = performance.now()
    const outcome = await ask(candidate, message, signal)
    calls.push(toCall(candidate, outcome, performance.now() - start))
    last = { outcome, candidate }
    // What became of the message is known; a breaker that cannot be told hears of the next one.
    await tellBreaker(candidate, outcome).catch(() => {})
    if (!isProvidersFault(outcome)) break
  }

  if (last !== undefined) return { kind: 'outcome', ...last, calls }
  if (Number.isFinite(shortestWait)) {
    const text = 'Every provider of the channel is failing; waiting for one to recover.'
    return { kind: 'obstacle', obstacle: postpone('provider_down', text, shortestWait), calls }
  }
  if (unavailable !== undefined) {
    return { kind: 'obstacle', obstacle: postpone('no_provider', unavailable, UNAVAILABLE_MS), calls }
  }
  return { kind: 'obstacle', obstacle: NO_DEVICE, calls }
}

export const NO_DEVICE: Skip = skip(
  'no_device',
  'The person has no device a provider of this channel reaches.',
)

export function reaches({ devices }: Candidate, message: Message): boolean {
  return devices === undefined || message.devices.some(device => device.kind === devices)
}

/** Asks once; when no answer came, the provider's policy says what that means. */
async function ask(candidate: Candidate, message: Message, signal: AbortSignal): Promise<Outcome> {
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

/** A provider that throws is broken, but the route must not be: it is tried again within its budget. */
function brokenProvider(error: unknown): Outcome {
  return { kind: 'retry', message: `The provider failed unexpectedly: ${(error as Error).message}` }
}

/** Another provider may do better. Not after `uncertain`: the message may have arrived already. */
function isProvidersFault(outcome: Outcome): boolean {
  return outcome.kind === 'retry' || outcome.kind === 'rate_limited' || outcome.kind === 'config'
}

/** Throttling is an answer of a healthy provider. */
async function tellBreaker({ breaker }: Candidate, outcome: Outcome): Promise<void> {
  if (breaker === undefined) return
  const isFailure = outcome.kind === 'retry' || outcome.kind === 'config' || outcome.kind === 'uncertain'
  await (isFailure ? breaker.failed(outcome.message) : breaker.succeeded())
}

function toCall(candidate: Candidate, outcome: Outcome, durationMs: number): ProviderCall {
  const message = outcome.kind === 'sent' ? '' : outcome.message
  return { provider: candidate.name, outcome: outcome.kind, message, duration_ms: Math.round(durationMs) }
}
