/** Rows about texts, keys and what operators look at, as the API returns them. */
import { ApiKey, AuditLog, Overview, SystemEvent, Template } from '@carillon/contract'
import { noon, uuid } from './rows.fixture.ts'

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
    account_id: null,
    account_email: null,
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
    due: { count: 5, oldest_at: noon() },
    open_system_events: { count: 1, by_severity: { low: 0, medium: 0, high: 1, critical: 0 } },
    open_dead_letters: { count: 3, oldest_at: noon(1) },
    providers: [
      { provider: 'smtp', channel: 'email', total: 120, sent: 117, failed: 3, avg_delivery_ms: 85 },
      { provider: 'twilio', channel: 'sms', total: 4, sent: 0, failed: 0, avg_delivery_ms: null },
    ],
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
