/** From an outcome to what becomes of the route. Pure: retry arithmetic, budget and deadline in one place. */
import type { FailureReason, ProviderCall } from '@carillon/contract'
import { nextDelayMs } from '../../platform/queue/backoff.ts'
import { storable } from '../../platform/text/cut.ts'
import type { Outcome } from '../../providers/services/provider.ts'
import { type Classification, classify, recoveryHint } from '../../providers/services/recovery-hint.ts'
import type { Obstacle } from '../gates/obstacle.ts'
import type { ClaimedRoute } from '../routes/claim.ts'
import type { Completion } from '../routes/complete.ts'

export interface Attempted {
  provider: string
  calls: ProviderCall[]
  messageRef: string
  startedAt: Date
  durationMs: number
  random: number
  /** What the operator can do should this end as a dead letter; the usual advice unless given. */
  hint?: string | undefined
  /** The day whose cap counts this attempt; null without a cap. */
  countedDay: string | null
}

/** A message longer than this says nothing more, and would bloat the row. */
const MESSAGE_LIMIT = 1024
const CALL_MESSAGE_LIMIT = 500
const ID_LIMIT = 500

export function decideOutcome(route: ClaimedRoute, outcome: Outcome, attempted: Attempted): Completion {
  const base = { ...completionOf(route, attempted, outcome.kind), gone_devices: outcome.gone_devices ?? [] }
  if (outcome.kind === 'sent') {
    return {
      ...base,
      status: 'sent',
      provider_message_id: storable(outcome.provider_message_id ?? '', ID_LIMIT),
    }
  }
  const classification = classify(outcome)
  const failed = { ...base, classification, message: storable(outcome.message, MESSAGE_LIMIT) }
  if (outcome.kind === 'permanent') {
    const suppress = outcome.suppress ?? ''
    return bury({ ...failed, suppress }, route, classification, 'permanent_failure')
  }
  if (outcome.kind === 'uncertain' && outcome.hold)
    return bury(failed, route, classification, 'uncertain_delivery')
  if (route.attempt_count >= route.max_attempts) {
    return bury(failed, route, classification, exhaustionReason(classification))
  }
  const delay = nextDelayMs({
    attempt: route.attempt_count,
    policy: { base_ms: route.retry_base_ms, cap_ms: route.retry_cap_ms },
    random: attempted.random,
    retryAfterMs: 'retry_after_ms' in outcome ? outcome.retry_after_ms : undefined,
    msToDeadline: route.ms_to_deadline === null ? null : route.ms_to_deadline - attempted.durationMs,
  })
  if (delay === undefined) return { ...failed, status: 'expired', reason: 'deadline' }
  return { ...failed, status: 'retrying', delay_ms: delay }
}

export function decideObstacle(route: ClaimedRoute, obstacle: Obstacle, attempted: Attempted): Completion {
  const { reason, text } = obstacle
  const without = { uses_attempt: false, reason, message: text }
  if (obstacle.kind === 'skip')
    return { ...completionOf(route, attempted, 'skipped'), ...without, status: 'skipped' }
  if (obstacle.kind === 'finish') {
    return { ...completionOf(route, attempted, obstacle.status), ...without, status: obstacle.status }
  }
  // A route that already failed once stays `retrying`; postponing changes only the time.
  const status = route.attempt_count > 1 ? 'retrying' : 'pending'
  return { ...completionOf(route, attempted, 'postponed'), ...without, status, delay_ms: obstacle.delay_ms }
}

/** The budget was used up by workers that died: whoever takes over must not send once more. */
export function decideLost(route: ClaimedRoute, attempted: Attempted): Completion {
  const message = `The worker died during the last of ${route.max_attempts} attempts; it may have been delivered.`
  const lost = { ...completionOf(route, attempted, 'uncertain'), uses_attempt: false, message }
  return bury({ ...lost, classification: 'uncertain' }, route, 'uncertain', 'worker_lost')
}

function completionOf(route: ClaimedRoute, attempted: Attempted, outcome: Completion['outcome']): Completion {
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
    provider: attempted.provider,
    provider_message_id: '',
    classification: '',
    message: '',
    failure_reason: null,
    recovery_hint: attempted.hint ?? '',
    started_at: attempted.startedAt.toISOString(),
    duration_ms: Math.round(attempted.durationMs),
    calls: attempted.calls.length > 1 ? attempted.calls.map(storableCall) : [],
    message_ref: attempted.messageRef,
    suppress: '',
    gone_devices: [],
    // A message that may have arrived goes on counting.
    returned_day: outcome === 'sent' || outcome === 'uncertain' ? null : attempted.countedDay,
  }
}

/** A single call is told by the attempt itself. */
function storableCall(call: ProviderCall): ProviderCall {
  return { ...call, message: storable(call.message, CALL_MESSAGE_LIMIT) }
}

function bury(
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
