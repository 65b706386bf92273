/** One attempt: gates, a place under the cap, render, providers, decision. Never throws; whatever happens becomes a completion. */
import { performance } from 'node:perf_hooks'
import type { Channel } from '@carillon/contract'
import type { RenderParts } from '../../content/messages/render-message.ts'
import type { ClaimedRoute } from '../routes/claim.ts'
import type { Completion } from '../routes/complete.ts'
import { askAgain, type ClearanceParts, clearRoute } from './clearance.ts'
import { type Attempted, decideLost, decideOutcome, decideVerdict } from './decide.ts'
import { renderRoute } from './render.ts'
import { type Candidate, sendThrough } from './send.ts'

export interface AttemptOptions extends ClearanceParts, RenderParts {
  /** The providers to ask, best first. */
  candidates: (tenantId: string, channel: Channel) => Promise<Candidate[]>
  /** The time that decides over quiet hours and local days. */
  now: (route: ClaimedRoute) => Date
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
  const clearance = await clearRoute(route, options.now(route), options)
  if (clearance.kind === 'held') return decideVerdict(route, clearance.hindrance, attempted())
  const { placeOf, payload_json } = clearance
  const rendered = await renderRoute(route, payload_json, options)
  if (rendered.kind !== 'message')
    return decideOutcome(route, rendered, attempted({ hint: rendered.hint, placeOf }))
  const { message } = rendered
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

export function wantedFirst(candidates: Candidate[], wanted: string | null): Candidate[] {
  if (wanted === null) return candidates
  return [
    ...candidates.filter(({ name }) => name === wanted),
    ...candidates.filter(({ name }) => name !== wanted),
  ]
}
