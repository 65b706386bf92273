/** What webhooks say: every event, its body, and an example of each. */

import { z } from 'zod'
import { Channel, Timestamp } from './common.ts'
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
] as const
export const WebhookEventType = z.enum(WEBHOOK_EVENTS)
export type WebhookEventType = z.infer<typeof WebhookEventType>

/** What each event means, in words. */
export const WEBHOOK_EVENT_MEANINGS: Record<WebhookEventType, string> = {
  'notification.accepted': 'An intent was accepted. Its routes follow; route_id is null.',
  'notification.sent': 'A provider took the message of a route.',
  'notification.delivered': 'A provider reported that the message arrived.',
  'notification.failed':
    'A route will not arrive: given up, past its deadline, or bounced. The route says which.',
  'notification.skipped': 'A route was left out on purpose; its reason says why.',
  'notification.cancelled':
    'A route was called back. Without a route_id: the notification, before its routes were made.',
  'notification.dead_lettered': 'A dead letter was written for a route; comes beside notification.failed.',
  'notification.read': 'A person read the notification in the inbox.',
  'system_event.raised': 'Something that operators should know of happened in the tenant.',
  'system_event.resolved': 'It is over, or somebody took care of it.',
}

/** The ids, from which the rest can be read by the API. */
export const ThinNotificationData = z.object({
  notification_id: z.uuid(),
  notification_type: z.string(),
  route_id: z.string().nullable(),
  dead_letter_id: z
    .uuid()
    .nullable()
    .describe('Only of notification.dead_lettered and its notification.failed'),
  inbox_id: z.uuid().nullable().describe('Only of notification.read'),
})

export const NotificationData = ThinNotificationData.extend({
  category: z.string(),
  producer: z.string(),
  idempotency_key: z.string(),
  request_id: z.string(),
  occurred_at: Timestamp.nullable(),
  accepted_at: Timestamp,
  payload: z.record(z.string(), z.unknown()).nullable().describe('As the producer sent it'),
  payload_omitted: z.boolean().describe('true: it is larger than 16 KiB; read it by the API'),
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
    .describe('As it stood at the time of the event'),
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

/** The body of a webhook. */
export const WebhookEvent = z.union([NotificationEvent, SystemWebhookEvent])
export type WebhookEvent = z.infer<typeof WebhookEvent>

/** The body for endpoints with a batch_size above 1, when more than one event was waiting. */
export const WebhookBatch = z.object({
  id: z.uuid(),
  type: z.literal('batch'),
  timestamp: Timestamp,
  data: z.array(WebhookEvent),
})
export type WebhookBatch = z.infer<typeof WebhookBatch>

/** The body for endpoints with the format cloudevents: CloudEvents 1.0 in structured mode; of a batch, a list of them. */
export const WebhookCloudEvent = z.object({
  specversion: z.literal('1.0'),
  id: z.uuid(),
  source: z.string().describe('urn:carillon:tenant: and the tenant’s id'),
  type: WebhookEventType,
  subject: z
    .string()
    .describe('The notification, with / and the route if it is about one; or the system event'),
  time: Timestamp,
  datacontenttype: z.literal('application/json'),
  traceparent: z.string().optional().describe('As the producer sent it with the intent'),
  data: z.union([NotificationData, ThinNotificationData, SystemEventData, ThinSystemEventData]),
})
export type WebhookCloudEvent = z.infer<typeof WebhookCloudEvent>
