/** Rows about records and what becomes of them, as the API returns them. */
import {
  Attempt,
  Record as CarillonRecord,
  DeadLetter,
  DeadLetterDetail,
  DeadLetterGroup,
  LoggedEmail,
  RecordDetail,
  Route,
  SimulatedRoute,
  Simulation,
} from '@carillon/contract'
import { noon, uuid } from './rows.fixture.ts'

export function aRecord(fields: Partial<CarillonRecord> = {}): CarillonRecord {
  return CarillonRecord.parse({
    notification_id: uuid(1),
    notification_type: 'welcome',
    producer: 'shop',
    reason: '',
    audience_kind: 'users',
    event_id: null,
    relation: null,
    recipients: ['ada'],
    topic: null,
    thread: null,
    channels: ['email'],
    template: null,
    idempotency_key: 'order-7',
    idempotency_expires_at: noon(60),
    request_fingerprint: 'f00d',
    source: 'http',
    source_entry_id: null,
    request_id: '',
    traceparent: '',
    run_id: null,
    send_at: null,
    send_at_local: null,
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
    template: null,
    status: 'sent',
    reason: '',
    attempt_count: 1,
    max_attempts: 5,
    next_attempt_at: null,
    digest_id: null,
    is_escalation: false,
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

export function aLoggedEmail(fields: Partial<LoggedEmail> = {}): LoggedEmail {
  return LoggedEmail.parse({
    id: '1',
    user_id: 'ada',
    notification_id: uuid(1),
    route_id: 'email:user:ada',
    inbox_id: null,
    thread: { kind: 'issue', id: '42' },
    message_id: `${uuid(1)}.a1`,
    sent_at: noon(),
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
    provider: 'smtp',
    template: null,
    replayed_to: null,
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
    original_event_id: null,
    source: '',
    op: '',
    target_id: null,
    trigger_id: null,
    script_id: null,
    first_attempt_at: null,
    last_attempt_at: null,
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

export function aDeadLetterGroup(): DeadLetterGroup {
  const { id, failure_message, recovery_hint, recipient_ref } = aDeadLetter()
  return DeadLetterGroup.parse({
    failure_reason: 'max_retries_exceeded',
    failure_classification: 'retry',
    channel: 'email',
    provider: 'smtp',
    template: 'welcome',
    source: 'route',
    notification_types: ['welcome'],
    count: 12,
    oldest_at: noon(),
    newest_at: noon(30),
    sample: { id, failure_message, recovery_hint, recipient_ref },
    filter: { channel: 'email', provider: 'smtp' },
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

export function aSimulatedRoute(fields: Partial<SimulatedRoute> = {}): SimulatedRoute {
  return SimulatedRoute.parse({
    route_id: 'email:user:ada',
    channel: 'email',
    address: 'ada@example.com',
    locale: 'en',
    status: 'sent',
    reason: '',
    at: noon(),
    provider: 'smtp',
    decisions: [{ at: noon(), decision: 'sent', text: 'Handed to smtp.' }],
    message: { subject: 'Hello', text: 'Welcome, Ada.', html: null, options: null },
    ...fields,
  })
}

export function aSimulation(fields: Partial<Simulation> = {}): Simulation {
  return Simulation.parse({
    duplicate_of: null,
    summary: 'Routes: 1 sent.',
    people: [{ recipient_ref: 'user:ada', routes: [aSimulatedRoute()] }],
    is_complete: true,
    ...fields,
  })
}
