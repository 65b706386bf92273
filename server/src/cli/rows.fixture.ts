/** Rows as the API returns them, checked against the contract; every field can be overridden. */
import {
  AbandonedExecution,
  ApiKey,
  Attempt,
  AuditLog,
  Record as CarillonRecord,
  DeadLetter,
  DeadLetterDetail,
  LoggedEmail,
  Overview,
  RecordDetail,
  Route,
  Run,
  RunDetail,
  Schedule,
  Script,
  ScriptTest,
  SimulatedRoute,
  Simulation,
  SystemEvent,
  Template,
  Trigger,
  Webhook,
  WebhookDelivery,
  WebhookRecovery,
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
    producers: null,
    limited_as: null,
    is_active: true,
    expires_at: null,
    last_used_at: noon(),
    created_at: noon(),
    ...fields,
  })
}

export function anAuditLog(fields: Partial<AuditLog> = {}): AuditLog {
  return AuditLog.parse({
    id: uuid(5),
    user_id: 'op',
    api_key_id: uuid(3),
    action: 'update',
    resource_type: 'user',
    resource_id: 'ada',
    ip_address: '2001:db8::7',
    user_agent: 'curl/8',
    request_id: 'r1',
    old_values: { email: 'old@example.com' },
    new_values: { email: 'new@example.com', username: 'ada' },
    created_at: noon(),
    ...fields,
  })
}

export function anOverview(fields: Partial<Overview> = {}): Overview {
  return Overview.parse({
    last_24_hours: { sent: 1200, failed: 3, pending: 40, skipped: 0, cancelled: 12, expired: 0 },
    hours: Array.from({ length: 24 }, (_, n) => ({
      at: new Date(Date.UTC(2026, 0, 30, 13 + n)).toISOString(),
      sent: n * 4,
      failed: n === 20 ? 3 : 0,
      pending: 0,
    })),
    counted_at: noon(),
    stuck: { count: 2, oldest_at: noon() },
    open_dead_letters: { count: 3, oldest_at: noon(1) },
    providers: [
      { provider: 'smtp', channel: 'email', total: 120, sent: 117, failed: 3, avg_delivery_ms: 85 },
      { provider: 'twilio', channel: 'sms', total: 4, sent: 0, failed: 0, avg_delivery_ms: null },
    ],
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

export function aWebhook(fields: Partial<Webhook> = {}): Webhook {
  return Webhook.parse({
    id: uuid(5),
    url: 'https://example.com/hooks',
    description: '',
    user_id: null,
    events: ['notification.sent'],
    event_kinds: [],
    notification_types: [],
    categories: [],
    headers: [],
    secret_expires_at: null,
    payload_mode: 'full',
    format: 'standard',
    ordering: 'none',
    batch_size: 1,
    batch_seconds: 0,
    is_active: true,
    is_paused: false,
    disabled_at: null,
    disabled_reason: '',
    consecutive_failures: 0,
    disable_after: 50,
    retry_count: 3,
    backoff: 'exponential',
    retry_base_ms: 30_000,
    retry_cap_ms: 86_400_000,
    timeout_seconds: 10,
    rate_limit: null,
    waiting: 0,
    created_at: noon(),
    updated_at: noon(),
    ...fields,
  })
}

export function aDelivery(fields: Partial<WebhookDelivery> = {}): WebhookDelivery {
  return WebhookDelivery.parse({
    id: uuid(6),
    webhook_id: uuid(5),
    notification_id: uuid(1),
    event_id: uuid(7),
    event_type: 'notification.sent',
    status: 'delivered',
    delivered: true,
    delivered_at: noon(),
    next_retry_at: null,
    response_status: 200,
    attempt_count: 1,
    is_test: false,
    redelivery_of: null,
    recovery_id: null,
    created_at: noon(),
    ...fields,
  })
}

export function aRecovery(fields: Partial<WebhookRecovery> = {}): WebhookRecovery {
  return WebhookRecovery.parse({
    id: uuid(8),
    webhook_id: uuid(5),
    since: noon(),
    until: noon(59),
    rate_limit: null,
    matched: 3,
    redelivered: 0,
    delivered: 0,
    failed: 0,
    created_at: noon(),
    finished_at: null,
    ...fields,
  })
}

export function aSchedule(fields: Partial<Schedule> = {}): Schedule {
  return Schedule.parse({
    id: uuid(9),
    name: 'Weekly report',
    cron: '0 9 * * 1',
    timezone: 'Europe/Berlin',
    intent: { notification_type: 'report', audience: { kind: 'topic', topic: 'sales' }, payload: {} },
    producer: 'shop',
    is_active: true,
    next_run_at: '2026-02-02T08:00:00Z',
    last_run_at: null,
    last_notification_id: null,
    last_error: '',
    created_at: noon(),
    updated_at: noon(),
    ...fields,
  }) as Schedule
}

/** A cron trigger, unless the fields say otherwise. */
export function aTrigger(fields: object = {}): Trigger {
  const { kind, ...trigger } = {
    id: uuid(9),
    name: 'Daily report',
    kind: 'cron',
    script_id: uuid(7),
    config: { cron: '0 9 * * *', timezone: 'Europe/Berlin', misfire_policy: 'run_once' },
    is_enabled: true,
    dispatch_mode: 'async',
    retry: { max_attempts: 3, backoff: 'exponential', base_ms: 1000 },
    registrant: { user_id: 'ada', api_key_id: null, scopes: ['intents:write'], producers: null },
    created_at: noon(),
    updated_at: noon(),
    ...fields,
  }
  const times = { next_run_at: '2026-02-02T08:00:00Z', last_run_at: null }
  const more = { cron: times, http: { url_hint: 'chk_abcd…' } }[kind as string]
  return Trigger.parse({ kind, ...trigger, ...more })
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

export function aTemplate(fields: Partial<Template> = {}): Template {
  return Template.parse({
    name: 'welcome',
    channel: 'email',
    locale: 'en',
    subject: 'Hello {{ name }}',
    title: null,
    body: '<p>\n  Hi {{ name }}\n</p>',
    text: null,
    layout: 'default',
    variables: [
      { name: 'name', required: true, description: '', sample: 'Ada' },
      { name: 'note', required: false, description: '' },
    ],
    is_active: true,
    published_version: 3,
    created_by: null,
    created_at: noon(),
    updated_at: noon(1),
    ...fields,
  })
}

export function aScript(fields: Partial<Script> = {}): Script {
  return Script.parse({
    id: uuid(1),
    name: 'counter',
    description: '',
    version: 2,
    timeout_ms: 10_000,
    cpu_ms: 1000,
    memory_mb: 32,
    source: 'log(event.kind)\n',
    author: 'ada',
    author_scopes: ['admin'],
    created_at: noon(),
    updated_at: noon(1),
    ...fields,
  })
}

export function aScriptTest(fields: Partial<ScriptTest> = {}): ScriptTest {
  return ScriptTest.parse({
    status: 'succeeded',
    failure_kind: null,
    error: '',
    result: null,
    logs: [],
    effects: [],
    duration_ms: 3,
    cpu_ms: 1,
    ...fields,
  })
}

export function aRun(fields: Partial<Run> = {}): Run {
  return Run.parse({
    id: uuid(70),
    script_id: uuid(71),
    script_name: 'restock',
    script_version: 3,
    trigger_id: uuid(72),
    kind: 'kv',
    op: 'update',
    event_id: uuid(73),
    attempt: 1,
    depth: 0,
    ran_as: 'user:ada',
    origin: 'user:bob',
    status: 'succeeded',
    failure_kind: null,
    error: '',
    duration_ms: 12,
    cpu_ms: 3,
    created_at: noon(),
    ...fields,
  })
}

export function aRunDetail(fields: Partial<RunDetail> = {}): RunDetail {
  return RunDetail.parse({
    ...aRun(),
    logs: [{ level: 'info', message: 'ordered\u001b[31m 5' }],
    effects: [
      {
        type: 'notify',
        position: 1,
        notification_type: 'ordered',
        notification_id: uuid(1),
        duplicate: false,
      },
      { type: 'kv_set', collection: 'orders', key: 'last' },
    ],
    result_json: '{"ordered":5}',
    ...fields,
  })
}

export function anAbandonedExecution(fields: Partial<AbandonedExecution> = {}): AbandonedExecution {
  return AbandonedExecution.parse({
    id: uuid(80),
    execution_id: uuid(73),
    script_id: uuid(71),
    inbox_id: uuid(81),
    status_code: 200,
    summary: '{"ordered":5}',
    created_at: noon(),
    ...fields,
  })
}
