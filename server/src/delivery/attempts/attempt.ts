/** One attempt: gates, message, providers, decision. Never throws; whatever happens becomes a completion. */
import { performance } from 'node:perf_hooks'
import type { Channel } from '@carillon/contract'
import type { RenderParts } from '../../content/messages/render-message.ts'
import type { Gate } from '../gates/gate.ts'
import { passGates } from '../gates/gates.ts'
import { retrySoon } from '../gates/obstacle.ts'
import type { ClaimedRoute } from '../routes/claim.ts'
import type { Completion } from '../routes/complete.ts'
import type { Candidate } from './candidate.ts'
import { type AttemptDetails, decideLost, decideObstacle, decideOutcome } from './decide.ts'
import { renderRoute } from './render.ts'
import { sendThrough } from './send.ts'

export interface AttemptOptions extends RenderParts {
  gates: Gate[]
  /** The providers to try, best first. */
  candidates: (tenantId: string, channel: Channel) => Promise<Candidate[]>
  /** The time by which quiet hours and local days are decided. */
  now: (route: ClaimedRoute) => Date
  signal: AbortSignal
  random: () => number
}

export async function attemptDelivery(route: ClaimedRoute, options: AttemptOptions): Promise<Completion> {
  const startedAt = new Date()
  const start = performance.now()
  const details = (known: Partial<AttemptDetails> = {}): AttemptDetails => ({
    provider: '',
    calls: [],
    messageRef: '',
    startedAt,
    durationMs: performance.now() - start,
    random: options.random(),
    countedDay: null,
    ...known,
  })

  if (route.attempt_count > route.max_attempts) return decideLost(route, details())
  const answer = await passGates(options.gates, route, options.now(route))
  if (answer.kind !== 'pass') return decideObstacle(route, answer, details())
  const { payload_json, countedDay } = answer
  const rendered = await renderRoute(route, payload_json, options)
  if (rendered.kind !== 'message')
    return decideOutcome(route, rendered, details({ hint: rendered.hint, countedDay }))
  const { message } = rendered
  try {
    const candidates = preferredFirst(
      await options.candidates(route.tenant_id, route.channel),
      route.preferred_provider,
    )
    const result = await sendThrough(candidates, message, options.signal)
    if (result.kind === 'obstacle')
      return decideObstacle(route, result.obstacle, details({ calls: result.calls, countedDay }))
    const { outcome, candidate, calls } = result
    const messageRef = candidate.reportsBack && outcome.kind !== 'permanent' ? message.message_id : ''
    return decideOutcome(route, outcome, details({ provider: candidate.name, calls, messageRef, countedDay }))
  } catch (error) {
    const obstacle = retrySoon('no_provider', `No provider could be chosen: ${(error as Error).message}`)
    return decideObstacle(route, obstacle, details({ countedDay }))
  }
}

/** The candidates with the provider that the type asks for, if any, moved to the front. */
export function preferredFirst(candidates: Candidate[], preferred: string | null): Candidate[] {
  if (preferred === null) return candidates
  return [
    ...candidates.filter(({ name }) => name === preferred),
    ...candidates.filter(({ name }) => name !== preferred),
  ]
}
