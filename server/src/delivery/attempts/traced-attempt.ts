/** One span per attempt at delivering a route: it continues the one that accepted the intent, hours later if need be. */
import type { Tracing } from '../../platform/tracing/tracing.ts'
import type { ClaimedRoute } from '../routes/claim.ts'
import type { Completion } from '../routes/complete.ts'

export type Attempt = (route: ClaimedRoute, signal: AbortSignal) => Promise<Completion>

export function traceAttempts(tracing: Tracing | undefined, attempt: Attempt): Attempt {
  if (tracing === undefined) return attempt
  return (route, signal) => {
    const attributes = {
      'carillon.tenant_id': route.tenant_id,
      'carillon.notification_id': route.notification_id,
      'carillon.notification_type': route.notification_type,
      'carillon.channel': route.channel,
      'carillon.attempt': route.attempt_count,
    }
    const options = { kind: 'consumer', parent: route.traceparent, attributes, of: route } as const
    return tracing.span(`deliver ${route.channel}`, options, async span => {
      span.note('claimed', { 'carillon.claim_count': route.claim_count }, route.claimed_at)
      const completion = await attempt(route, signal)
      span.set({
        'carillon.outcome': completion.outcome,
        'carillon.status': completion.status,
        ...(completion.provider !== '' && { 'carillon.provider': completion.provider }),
        ...(completion.reason !== '' && { 'carillon.reason': completion.reason }),
      })
      if (completion.uses_attempt && completion.outcome !== 'sent') span.fail(completion.outcome)
      return completion
    })
  }
}
