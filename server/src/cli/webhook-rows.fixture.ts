/** Rows about webhooks, as the API returns them. */
import { Webhook, WebhookDelivery, WebhookRecovery } from '@carillon/contract'
import { noon, uuid } from './rows.fixture.ts'

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
