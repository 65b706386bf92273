/** A claimed route; every field may be replaced. */
import { type Choice, UNDECIDED } from '../../people/preferences/choices.ts'
import type { ClaimedRoute } from './claim.ts'

export function aRoute(replaced: Partial<ClaimedRoute> = {}): ClaimedRoute {
  return {
    tenant_id: '0197f2a0-0000-7000-8000-000000000001',
    notification_id: '0197f2a0-0000-7000-8000-000000000002',
    route_id: 'email:user:ada',
    channel: 'email',
    priority: 1,
    recipient_ref: 'user:ada',
    user_id: 'ada',
    resolved_address: 'ada@example.com',
    resolved_locale: 'en',
    template_version_id: null,
    throttle: null,
    digest: null,
    digest_id: null,
    digest_closes_at: null,
    was_read: null,
    attempt_count: 1,
    max_attempts: 5,
    claim_count: 1,
    next_attempt_at: new Date(0),
    notification_type: 'order_shipped',
    payload_json: '{}',
    options: null,
    request_id: '',
    traceparent: '',
    retry_base_ms: 1000,
    retry_cap_ms: 60_000,
    ms_to_deadline: null,
    is_cancelled: false,
    is_suspended: false,
    suppression: null,
    preferred_provider: null,
    devices: null,
    category: '',
    required: false,
    critical: false,
    intent_reason: '',
    about: null,
    user_timezone: 'UTC',
    counted_on: null,
    counted_in: null,
    claimed_at: new Date(0),
    own: UNDECIDED,
    defaults: UNDECIDED,
    ...replaced,
  }
}

export function aChoice(replaced: Partial<Choice> = {}): Choice {
  return { ...UNDECIDED, ...replaced }
}
