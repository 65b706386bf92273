/** One structured log line per delivery attempt. Addresses and payloads are never logged. */
import type { Logger } from 'pino'
import type { ClaimedRoute } from '../../delivery/routes/claim.ts'
import type { Completion } from '../../delivery/routes/complete.ts'

export function logAttempt(
  log: Logger,
  route: ClaimedRoute,
  completion: Completion,
  completed: boolean,
): void {
  const line = {
    tenant_id: route.tenant_id,
    notification_id: route.notification_id,
    route_id: route.user_id === null ? route.channel : route.route_id,
    notification_type: route.notification_type,
    channel: route.channel,
    attempt: route.attempt_count,
    of: route.max_attempts,
    outcome: completion.outcome,
    status: completed ? completion.status : 'taken over by another worker',
    provider: completion.provider,
    duration_ms: completion.duration_ms,
    ...(completion.message !== '' && { message: completion.message }),
    ...(route.request_id !== '' && { request_id: route.request_id }),
    ...(route.traceparent !== '' && { traceparent: route.traceparent }),
  }
  if (completion.status === 'dead') log.warn(line, 'attempt')
  else log.info(line, 'attempt')
}
