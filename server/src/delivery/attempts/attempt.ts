/** One attempt: gates, message, providers, decision. Never throws; whatever happens becomes a completion. */
import { performance } from 'node:perf_hooks'
import type { Channel } from '@carillon/contract'
import type { RenderParts } from '../../content/messages/render-message.ts'
import type { Outcome } from '../../providers/services/provider.ts'
import type { Gate } from '../gates/gate.ts'
import { passGates } from '../gates/gates.ts'
import { retrySoon } from '../gates/obstacle.ts'
import type { ClaimedRoute } from '../routes/claim.ts'
import type { Completion } from '../routes/complete.ts'
import type { Candidate } from './candidate.ts'
import {
  type AttemptDetails,
  decideLost,
  decideObstacle,
  decideOutcome,
  withReturnedThrottle,
} from './decide.ts'
import { renderRoute } from './render.ts'
import { sendPush } from './send-push.ts'

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
  return withReturnedThrottle(route, await attempt(route, options))
}

async function attempt(route: ClaimedRoute, options: AttemptOptions): Promise<Completion> {
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
    reachedDevices: [],
    ...known,
  })

  if (route.attempt_count > route.max_attempts) return decideLost(route, details())
  const answer = await passGates(options.gates, route, options.now(route))
  if (answer.kind !== 'pass') return decideObstacle(route, answer, details())
  const { payload_json, countedDay, reachedDevices } = answer
  const missing = withoutDevices(route, reachedDevices)
  if (reachedDevices.length > 0 && missing.devices?.length === 0)
    return decideOutcome(route, NO_DEVICE_LEFT, details({ countedDay, reachedDevices }))
  const rendered = await renderRoute(missing, payload_json, options)
  if (rendered.kind !== 'message')
    return decideOutcome(route, rendered, details({ hint: rendered.hint, countedDay }))
  const { message } = rendered
  try {
    const candidates = preferredFirst(
      await options.candidates(route.tenant_id, route.channel),
      route.preferred_provider,
    )
    const result = await sendPush(candidates, message, options.signal)
    // Those that are left are reached by no provider.
    if (result.kind === 'obstacle' && result.obstacle.kind === 'skip' && reachedDevices.length > 0)
      return decideOutcome(route, NO_DEVICE_LEFT, details({ countedDay, reachedDevices }))
    if (result.kind === 'obstacle')
      return decideObstacle(
        route,
        result.obstacle,
        details({ calls: result.calls, countedDay, reachedDevices }),
      )
    const { outcome, candidate, calls } = result
    const messageRef = candidate.reportsBack && outcome.kind !== 'permanent' ? message.message_id : ''
    const known = { provider: candidate.name, calls, messageRef, countedDay, reachedDevices }
    return decideOutcome(route, outcome, details(known))
  } catch (error) {
    const obstacle = retrySoon('no_provider', `No provider could be chosen: ${(error as Error).message}`)
    return decideObstacle(route, obstacle, details({ countedDay }))
  }
}

/** Every other device has the message, or none of them exists any more. */
const NO_DEVICE_LEFT: Outcome = { kind: 'sent', response: 'no other device is left' }

function withoutDevices(route: ClaimedRoute, reached: string[]): ClaimedRoute {
  if (reached.length === 0) return route
  return { ...route, devices: (route.devices ?? []).filter(({ id }) => !reached.includes(id)) }
}

/** The candidates with the provider that the type asks for, if any, moved to the front. */
export function preferredFirst(candidates: Candidate[], preferred: string | null): Candidate[] {
  if (preferred === null) return candidates
  return [
    ...candidates.filter(({ name }) => name === preferred),
    ...candidates.filter(({ name }) => name !== preferred),
  ]
}
