/** One attempt: gates, message, providers, decision. Never throws; whatever happens becomes a completion. */
import { performance } from 'node:perf_hooks'
import type { Channel } from '@carillon/contract'
import type { Message } from '../../content/messages/message.ts'
import type { RenderParts } from '../../content/messages/render-message.ts'
import type { Outcome } from '../../providers/services/provider.ts'
import type { Gate } from '../gates/gate.ts'
import { passGates } from '../gates/gates.ts'
import { type Obstacle, retrySoon } from '../gates/obstacle.ts'
import type { ClaimedRoute } from '../routes/claim.ts'
import type { Completion } from '../routes/complete.ts'
import type { Doubts } from '../routes/doubts.ts'
import { type Answered, askFirst } from './ask-first.ts'
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
  /** The devices that earlier attempts of a push have reached. */
  reachedDevices: (route: ClaimedRoute) => Promise<string[]>
  /** Earlier attempts that may have arrived. */
  doubts: (route: ClaimedRoute) => Promise<Doubts>
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
    countedIn: [],
    isReserved: false,
    note: '',
    reachedDevices: [],
    ...known,
  })

  if (route.attempt_count > route.max_attempts) return decideLost(route, details())
  const answer = await passGates(options.gates, route, options.now(route))
  if (answer.kind !== 'pass') {
    const { countedDay, countedIn } = answer
    const completion = decideObstacle(route, answer, details({ countedDay, countedIn }))
    return (await wasReached(route, answer, options))
      ? { ...completion, status: 'sent', reason: '' }
      : completion
  }
  const { payload_json, countedDay, countedIn, isReserved, note, reachedDevices } = answer
  const counted = { countedDay, countedIn, isReserved }
  const missing = withoutDevices(route, reachedDevices)
  if (reachedDevices.length > 0 && missing.devices?.length === 0)
    return decideOutcome(route, NO_DEVICE_LEFT, details({ ...counted, note, reachedDevices }))
  const rendered = await renderRoute(missing, payload_json, options)
  if (rendered.kind !== 'message')
    return decideOutcome(route, rendered, details({ hint: rendered.hint, ...counted }))
  const { message } = rendered
  try {
    const candidates = preferredFirst(
      await options.candidates(route.tenant_id, route.channel),
      route.preferred_provider,
    )
    const answered = await settleDoubts(route, candidates, message, options)
    if (answered !== undefined) {
      const { outcome, provider } = answered
      return decideOutcome(route, outcome, details({ provider, countedDay, isReserved, reachedDevices }))
    }
    const result = await sendPush(candidates, message, options.signal)
    // Those that are left are reached by no provider.
    if (result.kind === 'obstacle' && result.obstacle.kind === 'skip' && reachedDevices.length > 0)
      return decideOutcome(route, NO_DEVICE_LEFT, details({ ...counted, note, reachedDevices }))
    if (result.kind === 'obstacle')
      return decideObstacle(
        route,
        result.obstacle,
        details({ calls: result.calls, ...counted, reachedDevices }),
      )
    const { outcome, candidate, calls } = result
    const messageRef = candidate.reportsBack && outcome.kind !== 'permanent' ? message.message_id : ''
    const known = { provider: candidate.name, calls, messageRef, ...counted, note, reachedDevices }
    return decideOutcome(route, outcome, details(known))
  } catch (error) {
    const obstacle = retrySoon('no_provider', `No provider could be chosen: ${(error as Error).message}`)
    return decideObstacle(route, obstacle, details(counted))
  }
}

/** First attempts need no look at earlier ones. The provider that was to be asked may be gone, so others do. */
async function settleDoubts(
  route: ClaimedRoute,
  candidates: Candidate[],
  message: Message,
  options: AttemptOptions,
): Promise<Answered | undefined> {
  if (route.attempt_count < 2) return undefined
  const doubts = await options.doubts(route)
  return askFirst(candidates, message, doubts, route.claimed_at.getTime(), options.signal)
}

/**
 * Whether the person has the message on one device, and a gate only keeps it from the others: that is sent, not skipped.
 * What was cancelled or is part of a digest stays so.
 */
async function wasReached(
  route: ClaimedRoute,
  obstacle: Obstacle,
  options: AttemptOptions,
): Promise<boolean> {
  const isEnd = obstacle.kind === 'skip' || (obstacle.kind === 'finish' && obstacle.status === 'expired')
  if (!isEnd || obstacle.reason === 'digested' || route.channel !== 'push' || route.claim_count <= 1)
    return false
  // If the database cannot say, it cannot store the end either.
  return (await options.reachedDevices(route).catch(() => [])).length > 0
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
