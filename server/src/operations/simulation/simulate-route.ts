/**
 * Simulates one route from the moment it is first due to its end, as delivery would go, with the clock moved forward over
 * every wait. The gates are asked inside the transaction that is rolled back. The message is rendered after it, because
 * templates are read through another connection.
 */
import type { Decision, ProviderReason, SimulatedRoute } from '@carillon/contract'
import { shownOptions } from '../../content/messages/message.ts'
import type { RenderParts } from '../../content/messages/render-message.ts'
import { preferredFirst } from '../../delivery/attempts/attempt.ts'
import type { Candidate } from '../../delivery/attempts/candidate.ts'
import { renderRoute } from '../../delivery/attempts/render.ts'
import type { Gate } from '../../delivery/gates/gate.ts'
import { passGates } from '../../delivery/gates/gates.ts'
import { type Obstacle, type Postpone, skip } from '../../delivery/gates/obstacle.ts'
import type { ClaimedRoute } from '../../delivery/routes/claim.ts'
import type { RouteToSimulate } from '../../delivery/routes/claim-for-simulation.ts'
import { Refusal } from '../../platform/calls/refusal.ts'
import { chooseProvider, type SimulatedRates } from './choose-provider.ts'

type Ending = Exclude<Obstacle, { kind: 'postpone' }>

/** A route after its gates: either it may be sent, or it has `ended`. */
export type GatedRoute = {
  route: RouteToSimulate
  payload_json: string
  at: Date
  /** How long it would have waited by then. */
  waitedMs: number
  decisions: Decision[]
  ended?: SimulatedRoute
}

export interface SendingParts extends RenderParts {
  /** The channel's providers, best first. */
  candidates: Candidate[]
  rates: SimulatedRates
}

/** A route that is postponed more often than this is not waiting for a time: the database does not answer. */
const MAX_WAITS = 5

/** A route on its way to the gates, or back there after a wait. */
interface Waiting {
  route: RouteToSimulate
  at: Date
  decisions: Decision[]
}

/**
 * Passes one person's routes through the gates in the order of their times: what one of them uses up, the next ones lack.
 */
export async function simulateGates(routes: RouteToSimulate[], gates: Gate[]): Promise<GatedRoute[]> {
  const waiting = routes.map((route): Waiting => ({ route, at: firstAttemptAt(route), decisions: [] }))
  const gated = new Map<RouteToSimulate, GatedRoute>()
  while (waiting.length > 0) {
    const next = waiting.reduce((first, other) => (other.at < first.at ? other : first))
    const passed = await askGates(next, gates)
    if (passed === undefined) continue
    gated.set(next.route, passed)
    waiting.splice(waiting.indexOf(next), 1)
  }
  return routes.map(route => gated.get(route)!)
}

/** Exactly then: a millisecond earlier, quiet hours that begin or end at that time would look different. */
function firstAttemptAt({ claimed_at, next_attempt_at }: RouteToSimulate): Date {
  return next_attempt_at > claimed_at ? next_attempt_at : claimed_at
}

/** undefined if the route has to wait and ask again. */
async function askGates(next: Waiting, gates: Gate[]): Promise<GatedRoute | undefined> {
  const { route, at, decisions } = next
  if (!route.has_address) return endedAtGate(route, at, [], noAddress(route))
  const waitedMs = at.getTime() - route.claimed_at.getTime()
  const answer = await passGates(gates, asOf(route, waitedMs), at, at)
  if (answer.kind === 'pass') {
    if (answer.note !== '') decisions.push({ at: at.toISOString(), decision: 'required', text: answer.note })
    return { route, payload_json: answer.payload_json, at, waitedMs, decisions }
  }
  if (answer.kind !== 'postpone') return endedAtGate(route, at, decisions, answer)
  if (answer.cause !== undefined) throw answer.cause
  if (isUnanswered(answer)) {
    const ended = waitingRoute(sentRoute(route, at), at, decisions, answer)
    return { route, payload_json: route.payload_json, at, waitedMs, decisions, ended }
  }
  if (decisions.length === MAX_WAITS) throw new Error(answer.text)
  decisions.push({ at: at.toISOString(), decision: 'postponed', text: answer.text })
  next.at = new Date(at.getTime() + answer.delay_ms)
  return undefined
}

/** Nobody knows when the tenant's own server answers. */
function isUnanswered(answer: Postpone): answer is Postpone<'visibility_unknown'> {
  return answer.reason === 'visibility_unknown'
}

/** The deadline comes nearer while the route waits. */
function asOf(route: ClaimedRoute, waitedMs: number): ClaimedRoute {
  if (route.ms_to_deadline === null) return route
  return { ...route, ms_to_deadline: route.ms_to_deadline - waitedMs }
}

const NOT_RENDERED =
  'The message could not be rendered in time. Nothing was lost: send the same request again.'

/** What follows the gates: the message is rendered, and a provider is chosen that would send it. */
export async function simulateSending(gated: GatedRoute, parts: SendingParts): Promise<SimulatedRoute> {
  const { route, payload_json, at, decisions } = gated
  if (gated.ended !== undefined) return gated.ended
  const rendered = await renderRoute(route, payload_json, parts)
  if (rendered.kind !== 'message') {
    if (rendered.kind === 'retry') throw new Refusal('unavailable', NOT_RENDERED)
    const died = { at: at.toISOString(), decision: 'dead', text: rendered.message }
    return {
      ...sentRoute(route, at),
      status: 'dead',
      reason: 'permanent_failure',
      decisions: [...decisions, died],
    }
  }
  const { message } = rendered
  const candidates = preferredFirst(parts.candidates, route.preferred_provider)
  const choice = await chooseProvider(candidates, message, gated.waitedMs, parts.rates)
  if (choice.kind === 'skip') return endedRoute(route, at, decisions, choice)
  const { subject, text, html } = message
  const options = shownOptions(message.options)
  const shown = { ...sentRoute(route, at), message: { subject, text, html, options } }
  if (choice.kind === 'postpone') return waitingRoute(shown, at, decisions, choice)
  const { name } = choice.candidate
  const sent = { at: at.toISOString(), decision: 'sent', text: `Handed to ${name}.` }
  return { ...shown, provider: name, decisions: [...decisions, sent] }
}

/** Nobody can tell when a provider takes it, or a server answers, so this is the last that can be said. */
function waitingRoute(
  route: SimulatedRoute,
  at: Date,
  decisions: Decision[],
  { reason, text, delay_ms }: Postpone<ProviderReason | 'visibility_unknown'>,
): SimulatedRoute {
  const postponed = { at: at.toISOString(), decision: 'postponed', text }
  const retryAt = new Date(at.getTime() + delay_ms).toISOString()
  return { ...route, status: 'pending', reason, at: retryAt, decisions: [...decisions, postponed] }
}

function endedAtGate(route: RouteToSimulate, at: Date, decisions: Decision[], obstacle: Ending): GatedRoute {
  const { payload_json } = route
  return {
    route,
    payload_json,
    at,
    waitedMs: 0,
    decisions,
    ended: endedRoute(route, at, decisions, obstacle),
  }
}

function endedRoute(
  route: RouteToSimulate,
  at: Date,
  decisions: Decision[],
  obstacle: Ending,
): SimulatedRoute {
  const { reason, text } = obstacle
  const status = obstacle.kind === 'finish' && obstacle.status === 'expired' ? 'expired' : 'skipped'
  const ended = { at: at.toISOString(), decision: status, text }
  return { ...sentRoute(route, at), status, reason, decisions: [...decisions, ended] }
}

function noAddress({ channel }: RouteToSimulate): Ending {
  return skip('no_address', `Wanted on ${channel}, but there is no address for it.`)
}

/** A route that was sent, for its callers to complete or change. */
function sentRoute(route: RouteToSimulate, at: Date): SimulatedRoute {
  return {
    route_id: route.route_id,
    channel: route.channel,
    address: route.resolved_address,
    locale: route.resolved_locale,
    status: 'sent',
    reason: '',
    at: at.toISOString(),
    provider: '',
    decisions: [],
    message: null,
  }
}
