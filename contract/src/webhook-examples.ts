/** An example of every event: shown in openapi.json and the guide, and sent as the test event. */
import type { z } from 'zod'
import type {
  DomainEventData,
  NotificationData,
  SystemEventData,
  WebhookEvent,
  WebhookEventType,
} from './webhook-events.ts'

const IDS = {
  event: '0198c0de-0000-7000-8000-00000000e001',
  notification: '0198c0de-0000-7000-8000-000000000001',
  letter: '0198c0de-0000-7000-8000-000000000002',
  inbox: '0198c0de-0000-7000-8000-000000000003',
}
const AT = '2026-01-31T12:00:01.250Z'

type Notification = z.infer<typeof NotificationData>
type Route = NonNullable<Notification['route']>

const accepted: Notification = {
  notification_id: IDS.notification,
  notification_type: 'order_shipped',
  route_id: null,
  dead_letter_id: null,
  inbox_id: null,
  category: 'orders',
  producer: 'shop',
  idempotency_key: 'order-48151',
  request_id: '6a3c1c9e-8f0a-4f7e-9a52-1f2d3c4b5a69',
  occurred_at: null,
  accepted_at: '2026-01-31T12:00:00.000Z',
  payload: { title: 'Your order is on its way', order_id: 48151 },
  payload_omitted: false,
  route: null,
}

const sent: Route = {
  channel: 'email',
  recipient_ref: 'user:ada',
  user_id: 'ada',
  status: 'sent',
  reason: '',
  attempt_count: 1,
  max_attempts: 7,
  provider: 'smtp',
  provider_message_id: '<48151@mail.example.com>',
  error_classification: '',
  error_message: '',
  sent_at: AT,
  delivered_at: null,
  bounced_at: null,
}

const dead: Partial<Route> = {
  status: 'dead',
  attempt_count: 7,
  provider_message_id: '',
  error_classification: 'transient',
  error_message: '451 try again later',
  sent_at: null,
}
const unsent: Partial<Route> = {
  attempt_count: 0,
  provider: '',
  provider_message_id: '',
  sent_at: null,
}

const aRoute = (route: Partial<Route> = {}, more: Partial<Notification> = {}): Notification => ({
  ...accepted,
  route_id: 'email:user:ada',
  route: { ...sent, ...route },
  ...more,
})

type SystemEvent = z.infer<typeof SystemEventData>
const raised: SystemEvent = {
  system_event_id: 7,
  event_type: 'provider_down',
  subject: 'smtp-main',
  severity: 'high',
  description: 'The provider "smtp-main" keeps failing and is not asked until it recovers.',
  details: { count: 1, channel: 'email' },
  is_resolved: false,
  created_at: AT,
  resolved_at: null,
  resolved_by: null,
}

const emitted: z.infer<typeof DomainEventData> = {
  event_id: IDS.event,
  id: 4711,
  kind: 'issue_comment_created',
  producer: 'tracker',
  actor_id: 'ada',
  topic: 'shop',
  thread: { kind: 'issue', id: '7', title: 'The cart is slow', url: null, author_id: 'bob' },
  source_kind: 'comment',
  source_id: '81',
  is_public: true,
  relations: { mention: ['eve'] },
  payload: { excerpt: 'Since when?' },
  occurred_at: AT,
}

const DATA: Record<WebhookEventType, Notification | SystemEvent | typeof emitted> = {
  'notification.accepted': accepted,
  'notification.sent': aRoute(),
  'notification.delivered': aRoute({ delivered_at: '2026-01-31T12:00:09.000Z' }),
  'notification.failed': aRoute(dead, { dead_letter_id: IDS.letter }),
  'notification.skipped': aRoute({ ...unsent, status: 'skipped', reason: 'suppressed' }),
  'notification.cancelled': aRoute({ ...unsent, status: 'cancelled', reason: 'cancelled' }),
  'notification.dead_lettered': aRoute(dead, { dead_letter_id: IDS.letter }),
  'notification.read': aRoute(
    { channel: 'in_app', provider: 'in_app', provider_message_id: '' },
    { route_id: 'in_app:user:ada', inbox_id: IDS.inbox },
  ),
  'system_event.raised': raised,
  'system_event.resolved': { ...raised, is_resolved: true, resolved_at: '2026-01-31T12:05:00.000Z' },
  'event.emitted': emitted,
}

export const WEBHOOK_EXAMPLES = Object.fromEntries(
  Object.entries(DATA).map(([type, data]) => [type, { id: IDS.event, type, timestamp: AT, data }]),
) as Record<WebhookEventType, WebhookEvent>
