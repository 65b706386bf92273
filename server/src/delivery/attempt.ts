/** One attempt: gates, a place under the cap, render, providers, decision. Never throws; whatever happens becomes a completion. */
import { performance } from 'node:perf_hooks'
import type { Channel } from '@carillon/contract'
import type { Message } from '../providers/provider.ts'
import type { ClaimedRoute } from './claim.ts'
import { askAgain, clearRoute, type TakePlace } from './clearance.ts'
import type { Completion } from './complete.ts'
import { type Attempted, decideLost, decideOutcome, decideVerdict } from './decide.ts'
import { renderMessage } from './render.ts'
import { type Candidate, sendThrough } from './send.ts'

export interface AttemptOptions {
  /** The providers to ask, best first. */
  candidates: (tenantId: string, channel: Channel) => Promise<Candidate[]>
  /** The time that decides over quiet hours and local days. */
  now: (route: ClaimedRoute) => Date
  takePlace: TakePlace
  /** Where one POST unsubscribes the person; null where that makes no sense. */
  unsubscribeUrl: (route: ClaimedRoute) => string | null
  signal: AbortSignal
  random: () => number
}

export async function attemptDelivery(route: ClaimedRoute, options: AttemptOptions): Promise<Completion> {
  const startedAt = new Date()
  const start = performance.now()
  const attempted = (more: Partial<Attempted> = {}): Attempted => ({
    provider: '',
    calls: [],
    messageRef: '',
    startedAt,
    durationMs: performance.now() - start,
    random: options.random(),
    placeOf: null,
    ...more,
  })

  if (route.attempt_count > route.max_attempts) return decideLost(route, attempted())
  const clearance = await clearRoute(route, options.now(route), options.takePlace)
  if (clearance.kind === 'held') return decideVerdict(route, clearance.hindrance, attempted())
  const { placeOf } = clearance
  const message = tryToRender(route, options.unsubscribeUrl)
  if (typeof message === 'string')
    return decideOutcome(route, { kind: 'permanent', message }, attempted({ placeOf }))
  try {
    const candidates = wantedFirst(
      await options.candidates(route.tenant_id, route.channel),
      route.wanted_provider,
    )
    const result = await sendThrough(candidates, message, options.signal)
    if (result.kind === 'verdict')
      return decideVerdict(route, result.verdict, attempted({ calls: result.calls, placeOf }))
    const { outcome, candidate, calls } = result
    const messageRef = candidate.reportsBack && outcome.kind !== 'permanent' ? message.message_id : ''
    return decideOutcome(route, outcome, attempted({ provider: candidate.name, calls, messageRef, placeOf }))
  } catch (error) {
    const verdict = askAgain('no_provider', `No provider could be chosen: ${(error as Error).message}`)
    return decideVerdict(route, verdict, attempted({ placeOf }))
  }
}

export function tryToRender(
  route: ClaimedRoute,
  unsubscribeUrl: AttemptOptions['unsubscribeUrl'] = () => null,
): Message | string {
  try {
    return renderMessage(route, unsubscribeUrl(route))
  } catch (error) {
    return `The message cannot be rendered: ${(error as Error).message}`
  }
}

export function wantedFirst(candidates: Candidate[], wanted: string | null): Candidate[] {
  if (wanted === null) return candidates
  return [
    ...candidates.filter(({ name }) => name === wanted),
    ...candidates.filter(({ name }) => name !== wanted),
  ]
}
