/** Turns an outcome into what happens to the route. Pure: retry delay, attempt budget and deadline in one place. */
import type { FailureReason, ProviderCall } from '@carillon/contract'
import type { CountedPeriod } from '../../people/caps/count-capped-sends.ts'
import { nextDelayMs } from '../../platform/queue/backoff.ts'
import { storable } from '../../platform/text/cut.ts'
import type { Outcome } from '../../providers/services/provider.ts'
import {
  type Classification,
  classify,
  type Failure,
  recoveryHint,
} from '../../providers/services/recovery-hint.ts'
import type { Obstacle } from '../gates/obstacle.ts'
import type { ClaimedRoute } from '../routes/claim.ts'
import type { Completion, PushTicket, RefusedDevice } from '../routes/complete.ts'

/** What is stored about an attempt besides its outcome. */
export interface AttemptDetails {
  provider: string
  calls: ProviderCall[]
  messageRef: string
  startedAt: Date
  durationMs: number
  random: number
  /** Recovery hint in case this becomes a dead letter; unless given, the usual one for the failure. */
  hint?: string | undefined
  /** The day whose cap counts this attempt; null without a cap. */
  countedDay: string | null
  /** The other periods whose caps count it. */
  countedIn: CountedPeriod[]
  /** The email log counts it. */
  isReserved: boolean
  /** What the gates have to say about a message that is sent; usually ''. */
  note: string
  /** Devices that earlier attempts have reached. */
  reachedDevices: string[]
}

/** In UTF-16 units. Longer messages say nothing more, and would bloat the row. */
const MESSAGE_MAX_LENGTH = 1024
const CALL_MESSAGE_MAX_LENGTH = 500
const ID_MAX_LENGTH = 500
const TICKET = /^[\x21-\x7e]{1,100}$/

/** Only what went out counts for a throttle. What waits, may have arrived or is part of a digest still does. */
export function withReturnedThrottle(route: ClaimedRoute, completion: Completion): Completion {
  const { status, outcome, reason } = completion
  const wentOut = status === 'sent' || outcome === 'uncertain' || reason === 'digested'
  const isCounted = route.throttle !== null && reason !== 'throttled'
  if (!isCounted || wentOut || completion.delay_ms !== null) return completion
  return { ...completion, returned_throttle: route.notification_type }
}

export function decideOutcome(route: ClaimedRoute, outcome: Outcome, details: AttemptDetails): Completion {
  const { reached_devices = [] } = outcome
  const wasReached = reached_devices.length > 0 || details.reachedDevices.length > 0
  const base = {
    ...completionOf(route, details, outcome.kind),
    gone_devices: refusedDevices(outcome),
    tickets: storableTickets(outcome),
  }
  if (outcome.kind === 'sent') {
    return {
      ...base,
      status: 'sent',
      message: details.note,
      provider_message_id: storable(outcome.provider_message_id ?? '', ID_MAX_LENGTH),
    }
  }
  const classification = classify(outcome)
  const message = storable(outcome.message, MESSAGE_MAX_LENGTH)
  const failed = { ...base, classification, message, reached_devices }
  if (!wasReached) return decideFailure(route, outcome, classification, failed, details)
  // The person has it on one device at least, so that it counts, and giving up on the others is no failure.
  const counted = { ...failed, returned_day: null, returned_periods: [] }
  const decided = decideFailure(route, outcome, classification, counted, details)
  if (decided.status === 'retrying' || isHeld(outcome)) return decided
  return { ...counted, status: 'sent' }
}

function decideFailure(
  route: ClaimedRoute,
  outcome: Failure,
  classification: Classification,
  failed: Completion,
  details: AttemptDetails,
): Completion {
  if (outcome.kind === 'permanent') {
    const suppress = outcome.suppress ?? ''
    return toDeadLetter({ ...failed, suppress }, route, classification, 'permanent_failure')
  }
  if (isHeld(outcome)) return toDeadLetter(failed, route, classification, 'uncertain_delivery')
  if (route.attempt_count >= route.max_attempts) {
    return toDeadLetter(failed, route, classification, exhaustionReason(classification))
  }
  const delayMs = nextDelayMs({
    attempt: route.attempt_count,
    policy: { base_ms: route.retry_base_ms, cap_ms: route.retry_cap_ms },
    random: details.random,
    retryAfterMs: 'retry_after_ms' in outcome ? outcome.retry_after_ms : undefined,
    msToDeadline: route.ms_to_deadline === null ? null : route.ms_to_deadline - details.durationMs,
  })
  if (delayMs === undefined) return { ...failed, status: 'expired', reason: 'deadline' }
  return { ...failed, status: 'retrying', delay_ms: delayMs }
}

function refusedDevices({
  gone_devices = [],
  rejected_devices = [],
  gone_since = {},
}: Outcome): RefusedDevice[] {
  return [
    ...gone_devices.map(id => ({ id, ...(gone_since[id] !== undefined && { since: gone_since[id] }) })),
    ...rejected_devices.map(id => ({ id, doubtful: true })),
  ]
}

/** Those of providers that can be asked about them. */
function storableTickets({ tickets = [] }: Outcome): PushTicket[] {
  return tickets.flatMap(({ provider_id, device_id, ticket }) =>
    provider_id === undefined || !TICKET.test(ticket) ? [] : [{ provider_id, device_id, ticket }],
  )
}

function isHeld(outcome: Failure): boolean {
  return outcome.kind === 'uncertain' && outcome.hold === true
}

export function decideObstacle(route: ClaimedRoute, obstacle: Obstacle, details: AttemptDetails): Completion {
  const { reason, text } = obstacle
  const unattempted = { uses_attempt: false, reason, message: text }
  if (obstacle.kind === 'skip')
    return { ...completionOf(route, details, 'skipped'), ...unattempted, status: 'skipped' }
  if (obstacle.kind === 'finish') {
    return { ...completionOf(route, details, obstacle.status), ...unattempted, status: obstacle.status }
  }
  // A route that has failed before stays `retrying`; postponing changes only the time.
  const status = route.attempt_count > 1 ? 'retrying' : 'pending'
  return { ...completionOf(route, details, 'postponed'), ...unattempted, status, delay_ms: obstacle.delay_ms }
}

/** Workers that died used up the budget: the one that takes over must not send once more. */
export function decideLost(route: ClaimedRoute, details: AttemptDetails): Completion {
  const message = `The worker died during the last of ${route.max_attempts} attempts; it may have been delivered.`
  const lost = { ...completionOf(route, details, 'uncertain'), uses_attempt: false, message }
  return toDeadLetter({ ...lost, classification: 'uncertain' }, route, 'uncertain', 'worker_lost')
}

function completionOf(
  route: ClaimedRoute,
  details: AttemptDetails,
  outcome: Completion['outcome'],
): Completion {
  return {
    tenant_id: route.tenant_id,
    notification_id: route.notification_id,
    route_id: route.route_id,
    claim_count: route.claim_count,
    status: 'pending',
    delay_ms: null,
    uses_attempt: true,
    reason: '',
    outcome,
    provider: details.provider,
    provider_message_id: '',
    classification: '',
    message: '',
    failure_reason: null,
    recovery_hint: details.hint ?? '',
    started_at: details.startedAt.toISOString(),
    duration_ms: Math.round(details.durationMs),
    // A single call says nothing that the attempt does not say itself, unless its service is to be asked.
    calls: details.calls.length > 1 || details.calls[0]?.is_asked ? details.calls.map(storableCall) : [],
    message_ref: details.messageRef,
    suppress: '',
    gone_devices: [],
    tickets: [],
    reached_devices: [],
    // A message that may have arrived still counts.
    returned_day: outcome === 'sent' || outcome === 'uncertain' ? null : details.countedDay,
    returned_periods: outcome === 'sent' || outcome === 'uncertain' ? [] : details.countedIn,
    returned_throttle: null,
    settled_mail: details.isReserved ? settledMail(outcome) : null,
  }
}

/** null if nobody knows: then the mail counts as if it had been sent. */
function settledMail(outcome: Completion['outcome']): Completion['settled_mail'] {
  if (outcome === 'uncertain') return null
  return outcome === 'sent' ? 'sent' : 'unsent'
}

function storableCall(call: ProviderCall): ProviderCall {
  return { ...call, message: storable(call.message, CALL_MESSAGE_MAX_LENGTH) }
}

function toDeadLetter(
  completion: Completion,
  route: ClaimedRoute,
  classification: Classification,
  reason: FailureReason,
): Completion {
  return {
    ...completion,
    status: 'dead',
    failure_reason: reason,
    recovery_hint: completion.recovery_hint || recoveryHint(classification, route.channel),
  }
}

function exhaustionReason(classification: Classification): FailureReason {
  if (classification === 'rate_limited') return 'provider_rate_limit_exceeded'
  if (classification === 'config') return 'provider_misconfigured'
  return 'max_retries_exceeded'
}
