/** What was decided about a record as a whole, and what was sent to webhooks about it. */
import type { Decision, RouteStatus, Run } from '@carillon/contract'
import type { DigestRow } from '../../delivery/digests/digests.ts'
import { traceIdOf } from '../../platform/tracing/traceparent.ts'
import type { DeliveryOfRecordRow } from '../../reactions/webhook-deliveries/deliveries.ts'
import { decision, plural } from './decision.ts'
import type { RecordRow } from './queries.ts'

/** How many routes have which status. */
type Counts = Partial<Record<RouteStatus, number>>

export function summarize(record: RecordRow, counts: Counts): string {
  const total = totalOf(counts)
  if (record.cancelled_at !== null && total === 0) return 'Cancelled before anybody was notified.'
  if (record.expanded_at === null)
    return `Accepted; its audience is still being worked out (${total} routes so far).`
  if (total === 0 && record.audience_kind === 'event')
    return 'In inboxes alone: nobody gets it on another channel.'
  if (total === 0) return 'Accepted, but its audience is empty: nobody was notified.'
  const parts = Object.entries(counts).map(([status, count]) => `${count} ${status}`)
  return `${plural(total, 'route')}: ${parts.join(', ')}.`
}

/** The first says that it was accepted. */
export function recordDecisions(record: RecordRow, counts: Counts): [Decision, ...Decision[]] {
  const decisions: [Decision, ...Decision[]] = [
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
  if (record.traceparent !== '') {
    const text = `It belongs to the trace ${traceIdOf(record.traceparent)}.`
    decisions.push(decision(record.accepted_at, 'trace', text))
  }
  if (record.template !== null) {
    const text = `Template: "${record.template}", on channels that have it.`
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
      decision(record.expanded_at, 'expanded', `The audience became ${plural(totalOf(counts), 'route')}.`),
    )
  }
  if (record.cancelled_at !== null)
    decisions.push(decision(record.cancelled_at, 'cancelled', 'Cancelled by request.'))
  return decisions
}

/** Which script sent it, and why that ran. A trigger that is gone has no name any more. */
export function runDecisions(record: RecordRow, run: Run | undefined, triggerName?: string): Decision[] {
  if (record.run_id === null) return []
  const text =
    run === undefined
      ? `Sent by the run ${record.run_id} of a script; the run is past its retention.`
      : `Sent by version ${run.script_version} of the script "${run.script_name}", as ${run.ran_as}, ${causeOf(run, triggerName)}: run ${run.id}.`
  return [decision(record.accepted_at, 'sent_by_script', text)]
}

function causeOf({ kind, op, trigger_id, depth }: Run, triggerName: string | undefined): string {
  const chain = depth === 0 ? '' : `, after ${plural(depth, 'other run')} that led to it`
  if (trigger_id === null) return `because somebody invoked it${chain}`
  const trigger = triggerName === undefined ? trigger_id : `"${triggerName}" (${trigger_id})`
  return `because of the trigger ${trigger} for ${kind} ${op}${chain}`
}

/** A type that is missing from the catalog is most often a typing mistake. */
export function catalogDecisions(record: RecordRow, typeCreatedAt: Date | undefined): Decision[] {
  if (record.source === 'digest' || (typeCreatedAt !== undefined && typeCreatedAt <= record.accepted_at))
    return []
  const missing =
    typeCreatedAt === undefined
      ? `The catalog has no type "${record.notification_type}"`
      : `The catalog had no type "${record.notification_type}" before ${typeCreatedAt.toISOString()}`
  return [decision(record.accepted_at, 'unknown_type', `${missing}, so nothing is known about it.`)]
}

function audienceText(record: RecordRow): string {
  switch (record.audience_kind) {
    case 'users':
      return `For ${listOf(record.recipients, 'user')}, listed by the producer.`
    case 'addresses':
      return `For ${listOf(record.recipients, 'address', 'addresses')}, listed by the producer.`
    case 'admin_email':
      return record.recipients.length === 0
        ? 'For the type’s admin addresses, of which there are none.'
        : `For ${listOf(record.recipients, 'admin address', 'admin addresses')} configured on the type.`
    case 'topic':
      return `For everybody who watches the topic "${record.topic}" at level all.`
    case 'tenant':
      return 'For every user of the tenant.'
    case 'event':
      return `For people who stood in the relation "${record.relation}" to the event ${record.event_id}.`
  }
}

/** Empty unless the record is that of a digest. */
export function digestDecisions(digest: DigestRow | undefined): Decision[] {
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

/** Only the origin of the URL is shown: what follows may contain a token. */
export function webhookDecision(delivery: DeliveryOfRecordRow): Decision {
  const { origin } = new URL(delivery.url)
  const attempts = plural(delivery.attempt_count, 'attempt')
  const ending = delivery.delivered
    ? `delivered after ${attempts} with ${delivery.response_status}.`
    : delivery.next_retry_at === null
      ? `given up after ${attempts}: ${delivery.last_error}`
      : `${attempts} failed: ${delivery.last_error} Next attempt at ${delivery.next_retry_at.toISOString()}.`
  return decision(delivery.created_at, 'webhook', `${delivery.event_type} to ${origin}: ${ending}`)
}

function listOf(names: string[], singular: string, plural = `${singular}s`): string {
  const listed = names.slice(0, 3).join(', ')
  return `${names.length} ${names.length === 1 ? singular : plural} (${listed}${names.length > 3 ? ', …' : ''})`
}

const totalOf = (counts: Counts): number => Object.values(counts).reduce((sum, count) => sum + count, 0)
