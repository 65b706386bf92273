/**
 * Calls one provider: waits for one of its connections, asks its breaker and its rate limit, sends, and tells the breaker
 * what came of it.
 */
import { performance } from 'node:perf_hooks'
import type { ProviderCall } from '@carillon/contract'
import type { Message } from '../../content/messages/message.ts'
import type { Place } from '../../platform/queue/places.ts'
import { activeSpan } from '../../platform/tracing/active-span.ts'
import { faultOf, type Outcome } from '../../providers/services/provider.ts'
import type { Candidate, Pass } from './candidate.ts'

export type CallResult =
  | { kind: 'called'; outcome: Outcome; call: ProviderCall }
  /** Its breaker is open. */
  | { kind: 'down'; waitMs: number }
  | { kind: 'rate_used_up'; waitMs: number }
  /** It was closed, or this process is about to stop. */
  | { kind: 'unavailable'; text: string }

/** Of a message whose sending was never answered. */
export const FOUND: Outcome = { kind: 'sent', response: 'no answer came, but the service has the message' }

/** When another process is probing the provider, this one cannot know for how long. */
const MIN_BREAKER_DELAY_MS = 1000

/**
 * The place comes first: messages that wait behind a server that hangs then learn from the breaker that it is failing, and
 * are not sent to it one after the other.
 */
export async function callProvider(
  candidate: Candidate,
  message: Message,
  signal: AbortSignal,
): Promise<CallResult> {
  const { breaker, provider } = candidate
  if (provider.takePlace !== undefined && (breaker?.waitMs() ?? 0) > 0) return down(candidate)
  let place: Place | undefined
  try {
    place = await provider.takePlace?.(signal)
  } catch (error) {
    return { kind: 'unavailable', text: (error as Error).message }
  }
  try {
    const pass = breaker === undefined ? UNGUARDED : await breaker.admit()
    if (pass === undefined) return down(candidate)
    const waitMs = await reserve(candidate, pass)
    if (waitMs !== undefined) return { kind: 'rate_used_up', waitMs }
    const start = performance.now()
    const outcome = withProvider(candidate, await sendOnce(candidate, message, signal, place))
    const call = toCall(candidate, outcome, performance.now() - start)
    // The outcome of the message stands, even if the breaker cannot be updated. What we broke off ourselves, because this
    // process stops, must not take the provider from the others.
    await (signal.aborted ? pass.inconclusive() : updateBreaker(pass, outcome)).catch(() => {})
    await watchAccount(candidate, outcome).catch(() => {})
    return { kind: 'called', outcome, call }
  } finally {
    // Only now, so that whoever gets it next asks a breaker that knows of this message.
    place?.leave()
  }
}

function down({ breaker }: Candidate): CallResult {
  return { kind: 'down', waitMs: Math.max(MIN_BREAKER_DELAY_MS, breaker?.waitMs() ?? 0) }
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

/** Sends once; if no answer came, the provider's policy says what to do. */
async function sendOnce(
  candidate: Candidate,
  message: Message,
  signal: AbortSignal,
  place: Place | undefined,
): Promise<Outcome> {
  const startedAt = new Date()
  const outcome = await sendTraced(candidate, message, signal, place)
  if (outcome.kind !== 'uncertain') return outcome
  if (candidate.uncertainPolicy === 'hold') {
    return { ...outcome, message: `${outcome.message}; held, as it may have arrived`, hold: true }
  }
  if (candidate.uncertainPolicy === 'ask') return ask(candidate, outcome, message, startedAt, signal)
  return outcome
}

/** With tracing, the service learns of the call's own span, and not of the one that the message came with. */
async function sendTraced(
  { name, provider }: Candidate,
  message: Message,
  signal: AbortSignal,
  place: Place | undefined,
): Promise<Outcome> {
  const send = (given: Message) => provider.send(given, signal, place).catch(brokenProvider)
  const attempt = activeSpan()
  if (attempt === undefined) return send(message)
  const attributes = { 'carillon.channel': message.channel, 'carillon.provider': name }
  return attempt.child('call provider', { kind: 'client', attributes }, async span => {
    const outcome = await send({ ...message, traceparent: span.traceparent })
    span.set({ 'carillon.outcome': outcome.kind })
    if (outcome.kind !== 'sent') span.fail(outcome.kind)
    return outcome
  })
}

/** So that it can be asked about its tickets. */
function withProvider({ id }: Candidate, outcome: Outcome): Outcome {
  if (id === undefined || outcome.tickets === undefined) return outcome
  return { ...outcome, tickets: outcome.tickets.map(ticket => ({ ...ticket, provider_id: id })) }
}

/** Right after the silence only a yes can be believed: our request may still be on its way. */
async function ask(
  { provider }: Candidate,
  outcome: Extract<Outcome, { kind: 'uncertain' }>,
  message: Message,
  startedAt: Date,
  signal: AbortSignal,
): Promise<Outcome> {
  const { inquiry } = provider
  if (inquiry === undefined) return outcome
  if ((await inquiry.wasSent(message, startedAt, signal).catch(() => undefined)) === true) return FOUND
  const text = `${outcome.message}; the service is asked again before anything more is sent`
  return { ...outcome, message: text, retry_after_ms: inquiry.settlesAfterMs }
}

/** A provider that throws has a bug; the route is tried again within its budget. */
function brokenProvider(error: unknown): Outcome {
  return { kind: 'retry', message: `The provider failed unexpectedly: ${(error as Error).message}` }
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
  const isAsked = outcome.kind === 'uncertain' && candidate.uncertainPolicy === 'ask'
  return {
    provider: candidate.name,
    outcome: outcome.kind,
    message,
    duration_ms: Math.round(durationMs),
    ...(isAsked && { is_asked: true }),
  }
}
