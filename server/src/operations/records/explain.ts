/** Why did it arrive, or not? Every decision in order, per person, in words. */
import type { Decision, Explanation } from '@carillon/contract'
import { type DigestRow, findDigest } from '../../delivery/digests/digests.ts'
import { notFound } from '../../platform/calls/refusal.ts'
import type { Executor } from '../../platform/database/pool.ts'
import { listDeliveriesOfRecord, type ToldRow } from '../../reactions/webhook-deliveries/deliveries.ts'
import {
  type AttemptRow,
  countRoutes,
  type LetterEventRow,
  type RecordRow,
  type RouteRow,
  selectAttempts,
  selectLetters,
  selectRecord,
  selectRecordRoutes,
} from './queries.ts'

export interface ExplainPage {
  after: (string | number)[] | undefined
  limit: number
  user_id?: string | undefined
}

/** Answers without next_cursor; the caller makes it from `lastRouteId` when there are more. */
export async function explainRecord(db: Executor, tenantId: string, id: string, page: ExplainPage) {
  const record = await selectRecord(db, tenantId, id)
  if (record === undefined) throw notFound(`record ${id}`)
  const routes = await selectRecordRoutes(db, tenantId, id, { ...page, limit: page.limit + 1 })
  const shown = routes.slice(0, page.limit)
  const routeIds = shown.map(route => route.route_id)
  const attempts = await selectAttempts(db, tenantId, id, routeIds)
  const letters = await selectLetters(db, tenantId, id, routeIds)
  const counts = await countRoutes(db, tenantId, id)
  const digest = record.source === 'digest' ? await findDigest(db, tenantId, id) : undefined
  const told = await listDeliveriesOfRecord(db, tenantId, id, MOST_WEBHOOKS)
  const explanation: Omit<Explanation, 'next_cursor'> = {
    notification_id: id,
    summary: summarize(record, counts),
    decisions: [...recordDecisions(record, counts), ...digestDecisions(digest), ...told.map(webhookDecision)],
    people: groupByPerson(shown, attempts, letters),
  }
  return { explanation, lastRouteId: routes.length > page.limit ? routeIds.at(-1) : undefined }
}

/** A large audience may have told webhooks a thousand times; the list of deliveries has them all. */
const MOST_WEBHOOKS = 50

type Counts = Awaited<ReturnType<typeof countRoutes>>

function summarize(record: RecordRow, counts: Counts): string {
  const total = totalOf(counts)
  if (record.cancelled_at !== null && total === 0) return 'Cancelled before anybody was notified.'
  if (record.expanded_at === null)
    return `Accepted; its audience is still being worked out (${total} routes so far).`
  if (total === 0) return 'Accepted, but its audience is empty: nobody was notified.'
  const parts = Object.entries(counts).map(([status, count]) => `${count} ${status}`)
  return `${plural(total, 'route')}: ${parts.join(', ')}.`
}

function recordDecisions(record: RecordRow, counts: Counts): Decision[] {
  const decisions = [
    decision(
      record.accepted_at,
      'accepted',
      `Accepted from ${record.producer} by ${record.source} as ${record.notification_type}, key "${record.idempotency_key}"; repeats until ${record.idempotency_expires_at.toISOString()} are recognised.`,
    ),
    decision(record.accepted_at, 'audience', audienceText(record)),
    ...(record.reason === ''
      ? []
      : [decision(record.accepted_at, 'reason', `They get it for the reason "${record.reason}".`)]),
    decision(record.accepted_at, 'channels', `Channels: ${record.channels.join(', ')}.`),
  ]
  if (record.template !== null) {
    const text = `Template: "${record.template}", where there is one.`
    decisions.push(decision(record.accepted_at, 'template', text))
  }
  if (record.send_at !== null) {
    decisions.push(
      decision(record.accepted_at, 'scheduled', `Not before ${record.send_at.toISOString()} (send_at).`),
    )
  }
  if (record.send_at_local !== null) {
    const text = `Not before ${record.send_at_local} in each recipient’s own time zone (send_at_local).`
    decisions.push(decision(record.accepted_at, 'scheduled', text))
  }
  if (record.expires_at !== null) {
    decisions.push(
      decision(record.accepted_at, 'deadline', `Not after ${record.expires_at.toISOString()} (expires_at).`),
    )
  }
  if (record.expanded_at !== null) {
    decisions.push(
      decision(record.expanded_at, 'expanded', `The audience gave ${plural(totalOf(counts), 'route')}.`),
    )
  }
  if (record.cancelled_at !== null)
    decisions.push(decision(record.cancelled_at, 'cancelled', 'Cancelled by request.'))
  return decisions
}

function audienceText(record: RecordRow): string {
  switch (record.audience_kind) {
    case 'users':
      return `For ${some(record.recipients, 'user')}, listed by the producer.`
    case 'addresses':
      return `For ${some(record.recipients, 'address', 'addresses')}, listed by the producer.`
    case 'admin_email':
      return record.recipients.length === 0
        ? 'For the type’s admin addresses, of which there are none.'
        : `For ${some(record.recipients, 'admin address', 'admin addresses')} configured on the type.`
    case 'topic':
      return `For everybody who watches the topic "${record.topic}" at level all.`
    case 'tenant':
      return 'For every user of the tenant.'
  }
}

function digestDecisions(digest: DigestRow | undefined): Decision[] {
  if (digest === undefined) return []
  const alike = digest.key === '' ? '' : ` with the key "${digest.key}"`
  const after = digest.first_notification_id === null ? '' : ` after ${digest.first_notification_id} went out`
  const gathers = `Gathers what comes${alike}${after} until ${digest.closes_at.toISOString()}`
  if (digest.closed_at === null)
    return [decision(digest.created_at, 'digest', `${gathers}: ${digest.item_count} so far.`)]
  return [
    decision(digest.created_at, 'digest', `${gathers}.`),
    decision(
      digest.closed_at,
      'digest_closed',
      `The window closed with ${plural(digest.item_count, 'notification')}.`,
    ),
  ]
}

/** Addresses of endpoints may hold tokens behind the host. */
function webhookDecision(told: ToldRow): Decision {
  const { origin } = new URL(told.url)
  const attempts = plural(told.attempt_count, 'attempt')
  const ending = told.delivered
    ? `delivered after ${attempts} with ${told.response_status}.`
    : told.next_retry_at === null
      ? `given up after ${attempts}: ${told.last_error}`
      : `${attempts} failed: ${told.last_error} Next attempt at ${told.next_retry_at.toISOString()}.`
  return decision(told.created_at, 'webhook', `${told.event_type} to ${origin}: ${ending}`)
}

function groupByPerson(
  routes: RouteRow[],
  attempts: AttemptRow[],
  letters: LetterEventRow[],
): Explanation['people'] {
  const people = new Map<string, Explanation['people'][number]>()
  for (const route of routes) {
    const person = people.get(route.recipient_ref) ?? { recipient_ref: route.recipient_ref, routes: [] }
    people.set(route.recipient_ref, person)
    const ofRoute = <T extends { route_id: string }>(rows: T[]) =>
      rows.filter(row => row.route_id === route.route_id)
    person.routes.push({
      route_id: route.route_id,
      channel: route.channel,
      status: route.status,
      reason: route.reason,
      summary: routeSummary(route),
      decisions: routeDecisions(route, ofRoute(attempts), ofRoute(letters)),
    })
  }
  return [...people.values()]
}

function routeDecisions(route: RouteRow, attempts: AttemptRow[], letters: LetterEventRow[]): Decision[] {
  const address = route.resolved_address === '' ? 'the person' : route.resolved_address
  const decisions = [
    decision(
      route.created_at,
      'routed',
      route.reason === 'no_address' && attempts.length === 0
        ? `Wanted on ${route.channel}, but there is no address for it.`
        : `To ${address} on ${route.channel}, locale ${route.resolved_locale}, ${templateText(route)}at most ${route.max_attempts} attempts${route.is_escalation ? ', after the other channels' : ''}.`,
    ),
    ...attempts.map(attempt => decision(attempt.started_at, attempt.outcome, attemptText(attempt))),
    ...letters.flatMap(letterDecisions),
  ]
  decisions.push(...reportedDecisions(route))
  if (route.status === 'cancelled' && !attempts.some(attempt => attempt.outcome === 'cancelled')) {
    decisions.push(decision(route.finished_at!, 'cancelled', 'Cancelled while it was waiting.'))
  }
  decisions.push(...leftOutDecisions(route, attempts))
  // Attempts and letters come from two tables; time puts them into one story. The sort is stable.
  return decisions.sort((a, b) => a.at.localeCompare(b.at))
}

/** What a digest had gathered and did not tell after all. */
function leftOutDecisions(route: RouteRow, attempts: AttemptRow[]): Decision[] {
  const { digest_id, notification_id, status, reason, finished_at } = route
  if (digest_id === null || digest_id === notification_id) return []
  const leftOut = (why: string) => [
    decision(finished_at!, status, `Left out of the digest ${digest_id}: ${why}.`),
  ]
  if (reason === 'read') return leftOut('it was read in the inbox meanwhile')
  const isExpired = status === 'expired' && !attempts.some(({ outcome }) => outcome === 'expired')
  return isExpired ? leftOut('expires_at had passed') : []
}

function templateText({ template }: RouteRow): string {
  return template === null
    ? ''
    : `with version ${template.version} of the template "${template.name}" (${template.locale}), `
}

/** What the service said later. */
function reportedDecisions(route: RouteRow): Decision[] {
  const reports: [Date | null, string, string][] = [
    [route.delivered_at, 'delivered', `${route.provider} reports it as delivered.`],
    [route.opened_at, 'opened', `${route.provider} reports it as opened.`],
    [route.bounced_at, 'bounced', `${route.provider} reports that it bounced.`],
  ]
  return reports.flatMap(([at, name, text]) => (at === null ? [] : [decision(at, name, text)]))
}

function attemptText(attempt: AttemptRow): string {
  const before = attempt.calls
    .slice(0, -1)
    .map(call => `${call.provider} failed (${call.message}), so the next was asked; `)
  const through = attempt.provider === '' ? '' : ` through ${attempt.provider} in ${attempt.duration_ms} ms`
  const then =
    attempt.next_attempt_at === null ? '' : ` Next attempt at ${attempt.next_attempt_at.toISOString()}.`
  const start = `Attempt ${attempt.attempt_no}: ${before.join('')}`
  if (attempt.outcome === 'sent') return `${start}sent${through}.`
  const message = attempt.message.replace(/\.?$/, '.')
  return `${start}${attempt.outcome.replace('_', ' ')}${through}: ${message}${then}`
}

function letterDecisions(letter: LetterEventRow): Decision[] {
  const died = decision(
    letter.created_at,
    'dead_lettered',
    `Given up: ${letter.failure_reason.replaceAll('_', ' ')}. ${letter.recovery_hint}`.trim(),
  )
  if (letter.resolution === null) return [died]
  const by = letter.resolved_by === null ? '' : ` by ${letter.resolved_by}`
  return [
    died,
    decision(
      letter.resolved_at ?? letter.created_at,
      letter.resolution,
      `Dead letter ${letter.resolution.replaceAll('_', ' ')}${by}.`,
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

function some(names: string[], singular: string, many = `${singular}s`): string {
  const listed = names.slice(0, 3).join(', ')
  return `${names.length} ${names.length === 1 ? singular : many} (${listed}${names.length > 3 ? ', …' : ''})`
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
const totalOf = (counts: Counts): number => Object.values(counts).reduce((sum, count) => sum + count, 0)
const decision = (at: Date, name: string, text: string): Decision => ({
  at: at.toISOString(),
  decision: name,
  text,
})
