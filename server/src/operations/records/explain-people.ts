/** What was decided about each route, person by person. */
import type { Decision, Explanation } from '@carillon/contract'
import type { DeviceRefusalRow } from '../../delivery/callbacks/callbacks.ts'
import type { AttemptRow } from '../../delivery/routes/attempts.ts'
import type { DigestOutcomeRow, RouteRow } from '../../delivery/routes/list.ts'
import { type EventInboxRow, toInboxTrace } from '../../inbox/notifications/event-rows.ts'
import type { RouteLetterRow } from '../../reactions/dead-letters/dead-letters.ts'
import { decision, plural } from './decision.ts'

/** Routes are grouped by person, with the inbox rows that an event has given them. */
export function explainPeople(
  routes: RouteRow[],
  attempts: AttemptRow[],
  letters: RouteLetterRow[],
  digests: DigestOutcomeRow[],
  refusals: DeviceRefusalRow[],
  inboxRows: EventInboxRow[],
): Explanation['people'] {
  type Person = Explanation['people'][number]
  const people = new Map<string, Person>()
  for (const row of inboxRows) {
    const recipient_ref = `user:${row.user_id}`
    people.set(recipient_ref, { recipient_ref, inbox: toInboxTrace(row), routes: [] })
  }
  for (const route of routes) {
    const { recipient_ref } = route
    const person: Person = people.get(recipient_ref) ?? { recipient_ref, inbox: null, routes: [] }
    people.set(recipient_ref, person)
    const ofRoute = <T extends { route_id: string }>(rows: T[]) =>
      rows.filter(row => row.route_id === route.route_id)
    person.routes.push({
      route_id: route.route_id,
      channel: route.channel,
      status: route.status,
      reason: route.reason,
      summary: routeSummary(route),
      decisions: [
        ...routeDecisions(route, ofRoute(attempts), ofRoute(letters), ofRoute(refusals)),
        ...digestOutcome(route, digests),
      ],
    })
  }
  return [...people.values()]
}

function routeDecisions(
  route: RouteRow,
  attempts: AttemptRow[],
  letters: RouteLetterRow[],
  refusals: DeviceRefusalRow[],
): Decision[] {
  const address = firstAddress(route, letters) || 'the person'
  const decisions = [
    decision(
      route.created_at,
      'routed',
      route.reason === 'no_address' && attempts.length === 0
        ? `Wanted on ${route.channel}, but there is no address for it.`
        : `To ${address} on ${route.channel}, locale ${route.resolved_locale}, ${templateText(route)}at most ${route.max_attempts} attempts${route.is_escalation ? ', after the other channels' : ''}.`,
    ),
    ...attempts.flatMap(attemptDecisions),
    ...letters.flatMap(letterDecisions),
    ...refusals.map(refusalDecision),
  ]
  decisions.push(...reportedDecisions(route))
  if (route.status === 'cancelled' && !attempts.some(attempt => attempt.outcome === 'cancelled')) {
    const why =
      route.reason === 'restored'
        ? 'It was due when this instance was restored from a backup, so it may have been sent; an operator discarded it.'
        : 'Cancelled while it was waiting.'
    decisions.push(decision(route.finished_at!, 'cancelled', why))
  }
  decisions.push(...leftOutDecisions(route, attempts))
  // Attempts and letters come from two tables. The sort is stable, so decisions of the same moment keep their order.
  return decisions.sort((a, b) => a.at.localeCompare(b.at))
}

/** Where it was to go when it was made: an operator may have changed that since. */
function firstAddress(route: RouteRow, letters: RouteLetterRow[]): string {
  return letters.find(letter => letter.replayed_from !== null)?.replayed_from ?? route.resolved_address
}

/** For a route that is part of a digest: what became of it. */
function digestOutcome({ digest_id, reason }: RouteRow, digests: DigestOutcomeRow[]): Decision[] {
  const digest = reason === 'digested' ? digests.find(each => each.digest_id === digest_id) : undefined
  if (digest === undefined) return []
  const { status, finished_at, last_error_message } = digest
  const why = status === 'dead' ? last_error_message : digest.reason
  const text =
    status === 'sent' ? 'was sent' : `itself was not sent (${status}${why === '' ? '' : `: ${why}`})`
  return [decision(finished_at, `digest_${status}`, `The digest ${text}.`)]
}

/** For a route that joined a digest but was left out when the digest closed. */
function leftOutDecisions(route: RouteRow, attempts: AttemptRow[]): Decision[] {
  const { digest_id, notification_id, status, reason, finished_at } = route
  if (digest_id === null || digest_id === notification_id) return []
  const leftOut = (why: string) => [
    decision(finished_at!, status, `Left out of the digest ${digest_id}: ${why}.`),
  ]
  if (reason === 'read') return leftOut('it was read in the inbox before')
  const isExpired = status === 'expired' && !attempts.some(({ outcome }) => outcome === 'expired')
  return isExpired ? leftOut('expires_at had passed') : []
}

function templateText({ template }: RouteRow): string {
  return template === null
    ? ''
    : `with version ${template.version} of the template "${template.name}" (${template.locale}), `
}

/** What the service reported after sending. */
function reportedDecisions(route: RouteRow): Decision[] {
  const reports: [Date | null, string, string][] = [
    [route.delivered_at, 'delivered', `${route.provider} reports it as delivered.`],
    [route.opened_at, 'opened', `${route.provider} reports it as opened.`],
    [route.bounced_at, 'bounced', `${route.provider} reports that it bounced.`],
  ]
  return reports.flatMap(([at, name, text]) => (at === null ? [] : [decision(at, name, text)]))
}

/** If something speaks against a message that was sent, its attempt says why it was sent nevertheless. */
function attemptDecisions(attempt: AttemptRow): Decision[] {
  const { started_at, outcome, message } = attempt
  const told = decision(started_at, outcome, attemptText(attempt))
  return outcome === 'sent' && message !== '' ? [decision(started_at, 'required', message), told] : [told]
}

/** The service had accepted the push, and said only later that a device did not get it. */
function refusalDecision({ occurred_at, provider, detail }: DeviceRefusalRow): Decision {
  const text = `${provider} reports that a device did not get it: ${detail.replace(/\.?$/, '.')}`
  return decision(occurred_at, 'device_refused', text)
}

function attemptText(attempt: AttemptRow): string {
  const before = attempt.calls
    .slice(0, -1)
    .map(call => `${call.provider} failed (${call.message}), so the next provider was tried; `)
  const through = attempt.provider === '' ? '' : ` through ${attempt.provider} in ${attempt.duration_ms} ms`
  const then =
    attempt.next_attempt_at === null ? '' : ` Next attempt at ${attempt.next_attempt_at.toISOString()}.`
  const start = `Attempt ${attempt.attempt_no}: ${before.join('')}`
  if (attempt.outcome === 'sent') return `${start}sent${through}.`
  const message = attempt.message.replace(/\.?$/, '.')
  return `${start}${attempt.outcome.replace('_', ' ')}${through}: ${message}${then}`
}

function letterDecisions(letter: RouteLetterRow): Decision[] {
  const died = decision(
    letter.created_at,
    'dead_lettered',
    `Given up: ${letter.failure_reason.replaceAll('_', ' ')}. ${letter.recovery_hint}`.trim(),
  )
  if (letter.resolution === null) return [died]
  const by = letter.resolved_by === null ? '' : ` by ${letter.resolved_by}`
  const to =
    letter.replayed_to === null
      ? ''
      : `${by === '' ? ' by an operator' : ''}, who changed the address from ${letter.replayed_from} to ${letter.replayed_to}`
  return [
    died,
    decision(
      letter.resolved_at ?? letter.created_at,
      letter.resolution,
      `Dead letter ${letter.resolution.replaceAll('_', ' ')}${by}${to}.`,
    ),
  ]
}

function routeSummary(route: RouteRow): string {
  switch (route.status) {
    case 'sent':
      return `Sent through ${route.provider} after ${plural(route.attempt_count, 'attempt')}.`
    case 'pending':
      return `Waiting until ${route.next_attempt_at!.toISOString()}${route.reason === '' ? '' : ` (${route.reason})`}.`
    case 'retrying':
      return `${plural(route.attempt_count, 'attempt')} of ${route.max_attempts} failed; next at ${route.next_attempt_at!.toISOString()}. Last error: ${route.last_error_message}`
    case 'dead':
      return `Given up after ${plural(route.attempt_count, 'attempt')}: ${route.last_error_message}`
    default:
      return `${route.status[0]!.toUpperCase()}${route.status.slice(1)}: ${route.reason}.`
  }
}
