/**
 * One route from its first due moment to its end, as delivery would go, with the clock moved over every wait. First the
 * gates, inside the transaction that is rolled back; then, outside of it, the message: templates are read through
 * another connection.
 */
import type { Decision, SimulatedRoute } from '@carillon/contract'
import type { RenderParts } from '../../content/messages/render-message.ts'
import { wantedFirst } from '../../delivery/attempts/attempt.ts'
import { renderRoute } from '../../delivery/attempts/render.ts'
import { type Candidate, NO_DEVICE, reaches } from '../../delivery/attempts/send.ts'
import type { Gate } from '../../delivery/gates/gate.ts'
import { passGates } from '../../delivery/gates/gates.ts'
import { type Obstacle, skip } from '../../delivery/gates/obstacle.ts'
import type { ClaimedRoute } from '../../delivery/routes/claim.ts'
import type { RehearsedRoute } from '../../delivery/routes/rehearse.ts'

type Ending = Exclude<Obstacle, { kind: 'postpone' }>

/** A route that its gates let pass, or the end it came to before. */
export type Rehearsed = {
  route: RehearsedRoute
  payload_json: string
  at: Date
  decisions: Decision[]
  ended?: SimulatedRoute
}

export interface ArrivalParts extends RenderParts {
  /** The channel's providers, best first. */
  candidates: Candidate[]
}

/** Quiet hours end; who waits more often than this waits for the database. */
const MOST_WAITS = 5

export async function rehearseRoute(route: RehearsedRoute, now: Date, gates: Gate[]): Promise<Rehearsed> {
  let at = new Date(now.getTime() + Math.max(0, route.ms_to_start ?? 0))
  if (!route.has_address) return ending(route, at, [], noAddress(route))
  const decisions: Decision[] = []
  for (let waits = 0; ; waits++) {
    const answer = await passGates(gates, asOf(route, now, at), at)
    if (answer.kind === 'pass') return { route, payload_json: answer.payload_json, at, decisions }
    if (answer.kind !== 'postpone') return ending(route, at, decisions, answer)
    if (waits === MOST_WAITS) throw new Error(answer.text)
    decisions.push({ at: at.toISOString(), decision: 'postponed', text: answer.text })
    at = new Date(at.getTime() + answer.delay_ms)
  }
}

/** The deadline comes nearer while the route waits. */
function asOf(route: ClaimedRoute, now: Date, at: Date): ClaimedRoute {
  if (route.ms_to_deadline === null) return route
  return { ...route, ms_to_deadline: route.ms_to_deadline - (at.getTime() - now.getTime()) }
}

/** Past the gates: is there a message, and somebody to take it? */
export async function arrive(rehearsed: Rehearsed, parts: ArrivalParts): Promise<SimulatedRoute> {
  const { route, payload_json, at, decisions } = rehearsed
  if (rehearsed.ended !== undefined) return rehearsed.ended
  const rendered = await renderRoute(route, payload_json, parts)
  if (rendered.kind !== 'message') {
    if (rendered.kind === 'retry') throw new Error(rendered.message)
    const said = { at: at.toISOString(), decision: 'dead', text: rendered.message }
    return {
      ...blank(route, at),
      status: 'dead',
      reason: 'permanent_failure',
      decisions: [...decisions, said],
    }
  }
  const { message } = rendered
  const [first] = wantedFirst(parts.candidates, route.wanted_provider).filter(candidate =>
    reaches(candidate, message),
  )
  if (first === undefined) return endOf(route, at, decisions, NO_DEVICE)
  // That the settings are in another process is no reason to wait: that one will deliver it.
  if (first.unavailable?.elsewhere === false)
    decisions.push({ at: at.toISOString(), decision: 'postponed', text: first.unavailable.text })
  const { subject, text, html } = message
  const said = { at: at.toISOString(), decision: 'sent', text: `Handed to ${first.name}.` }
  return {
    ...blank(route, at),
    provider: first.name,
    decisions: [...decisions, said],
    message: { subject, text, html },
  }
}

function ending(route: RehearsedRoute, at: Date, decisions: Decision[], obstacle: Ending): Rehearsed {
  const { payload_json } = route
  return { route, payload_json, at, decisions, ended: endOf(route, at, decisions, obstacle) }
}

function endOf(route: RehearsedRoute, at: Date, decisions: Decision[], obstacle: Ending): SimulatedRoute {
  const { reason, text } = obstacle
  const status = obstacle.kind === 'finish' && obstacle.status === 'expired' ? 'expired' : 'skipped'
  const said = { at: at.toISOString(), decision: status, text }
  return { ...blank(route, at), status, reason, decisions: [...decisions, said] }
}

function noAddress({ channel }: RehearsedRoute): Ending {
  return skip('no_address', `Wanted on ${channel}, but there is no address for it.`)
}

function blank(route: RehearsedRoute, at: Date): SimulatedRoute {
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
