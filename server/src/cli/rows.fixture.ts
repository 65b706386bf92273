/** Rows as the API gives them, checked against the contract; every field can be replaced. */
import {
  ApiKey,
  Attempt,
  Record as CarillonRecord,
  DeadLetter,
  DeadLetterDetail,
  RecordDetail,
  Route,
  SystemEvent,
} from '@carillon/contract'

export const uuid = (n: number): string => `0198c0de-0000-7000-8000-${String(n).padStart(12, '0')}`
const noon = (seconds = 0): string => new Date(Date.UTC(2026, 0, 31, 12, 0, seconds)).toISOString()

export function aRecord(fields: Partial<CarillonRecord> = {}): CarillonRecord {
  return CarillonRecord.parse({
    notification_id: uuid(1),
    notification_type: 'welcome',
    producer: 'shop',
    reason: '',
    audience_kind: 'users',
    recipients: ['ada'],
    topic: null,
    channels: ['email'],
    idempotency_key: 'order-7',
    idempotency_expires_at: noon(60),
    request_fingerprint: 'f00d',
    source: 'http',
    source_entry_id: null,
    request_id: '',
    traceparent: '',
    send_at: null,
    expires_at: null,
    occurred_at: null,
    accepted_at: noon(),
    expanded_at: noon(),
    cancelled_at: null,
    ...fields,
  })
}

export function aRecordDetail(fields: Partial<RecordDetail> = {}): RecordDetail {
  return RecordDetail.parse({
    ...aRecord(),
    payload_json: '{"title":"Hello"}',
    routes: { sent: 1, dead: 1 },
    ...fields,
  })
}

export function aRoute(fields: Partial<Route> = {}): Route {
  return Route.parse({
    notification_id: uuid(1),
    route_id: 'email:ada',
    channel: 'email',
    recipient_ref: 'ada',
    user_id: 'ada',
    resolved_address: 'ada@example.com',
    resolved_locale: 'en',
    status: 'sent',
    reason: '',
    attempt_count: 1,
    max_attempts: 5,
    next_attempt_at: null,
    provider: 'smtp',
    provider_message_id: 'm1',
    last_error_classification: '',
    last_error_message: '',
    last_error_at: null,
    created_at: noon(),
    updated_at: noon(1),
    delivered_at: null,
    opened_at: null,
    bounced_at: null,
    finished_at: noon(1),
    ...fields,
  })
}

export function aDeadLetter(fields: Partial<DeadLetter> = {}): DeadLetter {
  return DeadLetter.parse({
    id: uuid(2),
    source_kind: 'route',
    notification_id: uuid(1),
    route_id: 'email:bob',
    notification_type: 'welcome',
    channel: 'email',
    recipient_ref: 'bob',
    final_attempt_count: 5,
    max_attempts: 5,
    failure_reason: 'max_retries_exceeded',
    failure_classification: 'retry',
    failure_message: '451 try later',
    recovery_hint: 'Replay it when the mail server works again.',
    created_at: noon(30),
    resolved_at: null,
    resolution: null,
    resolved_by: null,
    ...fields,
  })
}

export function aDeadLetterDetail(): DeadLetterDetail {
  return DeadLetterDetail.parse({
    ...aDeadLetter(),
    payload_json: '{"title":"Hello"}',
    attempts: [anAttempt(), anAttempt({ attempt_no: 2, started_at: noon(10), duration_ms: 31 })],
  })
}

export function aSystemEvent(fields: Partial<SystemEvent> = {}): SystemEvent {
  return SystemEvent.parse({
    id: 7,
    tenant_id: null,
    event_type: 'dead_letters',
    subject: '',
    severity: 'high',
    description: 'Notifications wait as dead letters.',
    details: {},
    is_resolved: false,
    resolved_at: null,
    resolved_by: null,
    created_at: noon(),
    ...fields,
  })
}

export function anApiKey(fields: Partial<ApiKey> = {}): ApiKey {
  return ApiKey.parse({
    id: uuid(3),
    name: 'ci',
    hint: 'ck_…9f2a',
    user_id: null,
    scopes: ['records:read'],
    is_active: true,
    expires_at: null,
    last_used_at: noon(),
    created_at: noon(),
    ...fields,
  })
}

function anAttempt(fields: Partial<Attempt> = {}): Attempt {
  return Attempt.parse({
    attempt_no: 1,
    outcome: 'retry',
    provider: 'smtp',
    message: '451 try later',
    worker: 'w1',
    started_at: noon(),
    duration_ms: 12,
    next_attempt_at: noon(10),
    calls: [],
    ...fields,
  })
}
