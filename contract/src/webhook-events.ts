/** What webhooks send: every event and its body. */
import { z } from 'zod'
import { Channel, Timestamp } from './common.ts'
import { DomainEvent } from './events.ts'
import { StoredReason } from './reasons.ts'
import { RouteStatus } from './routes.ts'
import { Severity } from './system-events.ts'

export const WEBHOOK_EVENTS = [
  'notification.accepted',
  'notification.sent',
  'notification.delivered',
  'notification.failed',
  'notification.skipped',
  'notification.cancelled',
  'notification.dead_lettered',
  'notification.read',
  'system_event.raised',
  'system_event.resolved',
  'event.emitted',
] as const
export const WebhookEventType = z.enum(WEBHOOK_EVENTS)
export type WebhookEventType = z.infer<typeof WebhookEventType>

/** What each event means; shown in openapi.json and in docs/guides/webhooks.md. */
export const WEBHOOK_EVENT_MEANINGS: Record<WebhookEventType, string> = {
  'notification.accepted': 'An intent was accepted. Its routes follow, so route_id is null.',
  'notification.sent': 'A provider accepted the message of a route.',
  'notification.delivered': 'A provider reported that the message arrived.',
  'notification.failed':
    'A route will not arrive: it was given up, missed its deadline or bounced. The route says which.',
  'notification.skipped': 'A route was skipped on purpose; its reason says why.',
  'notification.cancelled':
    'A route was cancelled. If route_id is null, the notification was cancelled before it had routes.',
  'notification.dead_lettered': 'A route became a dead letter. Sent in addition to notification.failed.',
  'notification.read': 'A person read the notification in the inbox.',
  'system_event.raised': 'Something happened in the tenant that operators should know about.',
  'system_event.resolved': 'A system event is over, or somebody took care of it.',
  'event.emitted': 'Something happened in the application: an event was written to the log.',
}

/** Only ids, with which the rest can be read from the API. */
export const ThinNotificationData = z.object({
  notification_id: z.uuid(),
  notification_type: z.string(),
  route_id: z.string().nullable(),
  dead_letter_id: z
    .uuid()
    .nullable()
    .describe('Only with notification.dead_lettered, and the notification.failed that comes with it'),
  inbox_id: z.uuid().nullable().describe('Only with notification.read'),
})

export const NotificationData = ThinNotificationData.extend({
  category: z.string(),
  producer: z.string(),
  idempotency_key: z.string(),
  request_id: z.string(),
  occurred_at: Timestamp.nullable(),
  accepted_at: Timestamp,
  payload: z.record(z.string(), z.unknown()).nullable().describe('As the producer sent it'),
  payload_omitted: z.boolean().describe('true if it is larger than 16 KiB; read it from the API'),
  route: z
    .object({
      channel: Channel,
      recipient_ref: z.string(),
      user_id: z.string().nullable(),
      status: RouteStatus,
      reason: StoredReason,
      attempt_count: z.number().int(),
      max_attempts: z.number().int(),
      provider: z.string(),
      provider_message_id: z.string(),
      error_classification: z.string(),
      error_message: z.string(),
      sent_at: Timestamp.nullable(),
      delivered_at: Timestamp.nullable(),
      bounced_at: Timestamp.nullable(),
    })
    .nullable()
    .describe('As it was at the time of the event'),
})

export const ThinSystemEventData = z.object({ system_event_id: z.number().int(), event_type: z.string() })

export const SystemEventData = ThinSystemEventData.extend({
  subject: z.string(),
  severity: Severity,
  description: z.string(),
  details: z.record(z.string(), z.unknown()),
  is_resolved: z.boolean(),
  created_at: Timestamp,
  resolved_at: Timestamp.nullable(),
  resolved_by: z.string().nullable(),
})

export const ThinDomainEventData = DomainEvent.pick({ event_id: true, kind: true })

export const DomainEventData = DomainEvent.pick({
  event_id: true,
  id: true,
  kind: true,
  producer: true,
  actor_id: true,
  topic: true,
  thread: true,
  source_kind: true,
  source_id: true,
  is_public: true,
  relations: true,
}).extend({
  payload: z.record(z.string(), z.unknown()).describe('As it was sent'),
  occurred_at: Timestamp,
})

const NotificationEvent = z.object({
  id: z.uuid().describe('Also the header webhook-id: the same on every attempt and redelivery'),
  type: z.enum(WEBHOOK_EVENTS.filter(event => event.startsWith('notification.'))),
  timestamp: Timestamp.describe('When it happened; the header webhook-timestamp is the time of the attempt'),
  data: z.union([NotificationData, ThinNotificationData]),
})
const SystemWebhookEvent = NotificationEvent.extend({
  type: z.enum(['system_event.raised', 'system_event.resolved']),
  data: z.union([SystemEventData, ThinSystemEventData]),
})

const DomainWebhookEvent = NotificationEvent.extend({
  type: z.literal('event.emitted'),
  data: z.union([DomainEventData, ThinDomainEventData]),
})

/** The body of a webhook. */
export const WebhookEvent = z.union([NotificationEvent, SystemWebhookEvent, DomainWebhookEvent])
export type WebhookEvent = z.infer<typeof WebhookEvent>

/** The body for endpoints with a batch_size above 1 when more than one event was waiting. */
export const WebhookBatch = z.object({
  id: z.uuid(),
  type: z.literal('batch'),
  timestamp: Timestamp,
  data: z.array(WebhookEvent),
})
export type WebhookBatch = z.infer<typeof WebhookBatch>

/**
 * The body for endpoints with the format cloudevents: CloudEvents 1.0 in structured mode. A batch is a list of them.
 */
export const WebhookCloudEvent = z.object({
  specversion: z.literal('1.0'),
  id: z.uuid(),
  source: z.string().describe('urn:carillon:tenant: followed by the tenant’s id'),
  type: WebhookEventType,
  subject: z
    .string()
    .describe(
      'The id of the notification, followed by / and the route if it is about one; or that of the system event or event',
    ),
  time: Timestamp,
  datacontenttype: z.literal('application/json'),
  traceparent: z.string().optional().describe('As the producer sent it with the intent'),
  data: z.union([
    NotificationData,
    ThinNotificationData,
    SystemEventData,
    ThinSystemEventData,
    DomainEventData,
    ThinDomainEventData,
  ]),
})
export type WebhookCloudEvent = z.infer<typeof WebhookCloudEvent>
