/**
 * One route from its first due moment to its end, as delivery would go, with the clock moved over every wait. First the
 * gates, inside the transaction that is rolled back; then, outside of it, the message: templates are read through
 * another connection.
 */
import type { Decision, SimulatedRoute } from '@carillon/contract'
import { type AttemptOptions, tryToRender, wantedFirst } from '../../delivery/attempts/attempt.ts'
import { type ClearanceParts, clearRoute } from '../../delivery/attempts/clearance.ts'
import type { Hindrance } from '../../delivery/attempts/gates.ts'
import { type Candidate, NO_DEVICE, reaches } from '../../delivery/attempts/send.ts'
import type { ClaimedRoute } from '../../delivery/routes/claim.ts'
import type { RehearsedRoute } from './queries.ts'

/** A route that its gates let pass, or the end it came to before. */
export type Rehearsed = { route: RehearsedRoute; at: Date; decisions: Decision[]; ended?: SimulatedRoute }

export interface ArrivalParts extends Pick<AttemptOptions, 'words' | 'links'> {
  /** The channel's providers, best first. */
  candidates: Candidate[]
}

/** Quiet hours end; who waits more often than this waits for the database. */
const MOST_WAITS = 5

export async function rehearseRoute(
  route: RehearsedRoute,
  now: Date,
  gates: ClearanceParts,
): Promise<Rehearsed> {
  let at = new Date(now.getTime() + Math.max(0, route.ms_to_start ?? 0))
  if (route.skip_reason !== '') return ending(route, at, [], noAddress(route))
  const decisions: Decision[] = []
  for (let waits = 0; ; waits++) {
    const clearance = await clearRoute(asOf(route, now, at), at, gates)
    if (clearance.kind === 'cleared')
      return { route: { ...route, payload_json: clearance.payload_json }, at, decisions }
    const { hindrance } = clearance
    if (hindrance.kind !== 'postpone') return ending(route, at, decisions, hindrance)
    if (waits === MOST_WAITS) throw new Error(hindrance.text)
    decisions.push({ at: at.toISOString(), decision: 'postponed', text: hindrance.text })
    at = new Date(at.getTime() + hindrance.delay_ms)
  }
}

/** The deadline comes nearer while the route waits. */
function asOf(route: ClaimedRoute, now: Date, at: Date): ClaimedRoute {
  if (route.ms_to_deadline === null) return route
  return { ...route, ms_to_deadline: route.ms_to_deadline - (at.getTime() - now.getTime()) }
}

/** Past the gates: is there a message, and somebody to take it? */
export async function arrive(rehearsed: Rehearsed, parts: ArrivalParts): Promise<SimulatedRoute> {
  const { route, at, decisions } = rehearsed
  if (rehearsed.ended !== undefined) return rehearsed.ended
  const rendered = await tryToRender(route, parts)
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

function ending(route: RehearsedRoute, at: Date, decisions: Decision[], hindrance: Hindrance): Rehearsed {
  return { route, at, decisions, ended: endOf(route, at, decisions, hindrance) }
}

function endOf(route: RehearsedRoute, at: Date, decisions: Decision[], hindrance: Hindrance): SimulatedRoute {
  const { reason, text } = hindrance
  const status = hindrance.kind === 'finish' && hindrance.status === 'expired' ? 'expired' : 'skipped'
  const said = { at: at.toISOString(), decision: status, text }
  return { ...blank(route, at), status, reason, decisions: [...decisions, said] }
}

function noAddress(route: RehearsedRoute): Hindrance {
  const text = `Wanted on ${route.channel}, but there is no address for it.`
  return { kind: 'skip', reason: route.skip_reason, text }
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
