/** The part of openapi.json that receivers of webhooks read: every event with its headers, body and examples. */
import {
  WEBHOOK_EVENT_MEANINGS,
  WEBHOOK_EVENTS,
  WEBHOOK_EXAMPLES,
  type WebhookEventType,
} from '@carillon/contract'

export function documentWebhooks(): Record<string, object> {
  return Object.fromEntries(WEBHOOK_EVENTS.map(event => [event, { post: operationOf(event) }]))
}

function operationOf(event: WebhookEventType) {
  return {
    tags: ['webhook events'],
    summary: WEBHOOK_EVENT_MEANINGS[event],
    description:
      'Sent to every active webhook that subscribes to it. Repeats carry the same webhook-id: remember the ids you have handled.',
    security: [],
    parameters: HEADERS.map(([name, description]) => ({
      name,
      in: 'header',
      required: name !== 'traceparent',
      description,
      schema: { type: 'string' },
    })),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: bodyOf(event),
          examples: {
            full: { summary: 'payload_mode full', value: WEBHOOK_EXAMPLES[event] },
            thin: { summary: 'payload_mode thin', value: thinExampleOf(event) },
          },
        },
        'application/cloudevents+json': {
          schema: { $ref: '#/components/schemas/WebhookCloudEvent' },
          example: cloudEventOf(event),
        },
      },
    },
    responses: {
      '2XX': { description: 'Received' },
      '410': { description: 'The endpoint is gone for good: the webhook is disabled' },
      '429': {
        description: 'Too many requests: sent again after Retry-After. 408 and 5XX are sent again too',
      },
      default: { description: 'A failure that is not retried; redirects are not followed' },
    },
  }
}

const HEADERS = [
  ['webhook-id', 'Id of the event: the same on every attempt and redelivery'],
  ['webhook-timestamp', 'Time of the attempt, in seconds since 1970'],
  ['webhook-signature', 'v1,<base64 of the HMAC-SHA256 over "id.timestamp.body">; several during a rotation'],
  ['carillon-event', 'Type of the event'],
  ['carillon-delivery', 'Id of the delivery'],
  ['carillon-webhook', 'Id of the webhook'],
  ['traceparent', 'As the producer sent it with the intent'],
] as const

function bodyOf(event: WebhookEventType) {
  const name = DATA[aboutOf(event)]
  return {
    type: 'object',
    required: ['id', 'type', 'timestamp', 'data'],
    properties: {
      id: { type: 'string', format: 'uuid' },
      type: { const: event },
      timestamp: { type: 'string', format: 'date-time' },
      data: { anyOf: [name, `Thin${name}`].map(schema => ({ $ref: `#/components/schemas/${schema}` })) },
    },
  }
}

function thinExampleOf(event: WebhookEventType) {
  const { data, ...envelope } = WEBHOOK_EXAMPLES[event]
  const names = THIN[aboutOf(event)]
  return {
    ...envelope,
    data: Object.fromEntries(Object.entries(data).filter(([name]) => names.includes(name))),
  }
}

function cloudEventOf(event: WebhookEventType) {
  const { id, type, timestamp, data } = WEBHOOK_EXAMPLES[event]
  const { notification_id, route_id, system_event_id, event_id } = data as Record<string, unknown>
  const subject = String(notification_id ?? system_event_id ?? event_id) + (route_id ? `/${route_id}` : '')
  return {
    specversion: '1.0',
    id,
    source: 'urn:carillon:tenant:0198c0de-0000-7000-8000-00000000000a',
    type,
    subject,
    time: timestamp,
    datacontenttype: 'application/json',
    data,
  }
}

type About = 'notification' | 'system_event' | 'event'
/** The first part of its name says what an event is about. */
const aboutOf = (event: WebhookEventType) => event.split('.')[0] as About

const DATA: Record<About, string> = {
  notification: 'NotificationData',
  system_event: 'SystemEventData',
  event: 'DomainEventData',
}
const THIN: Record<About, string[]> = {
  notification: ['notification_id', 'notification_type', 'route_id', 'dead_letter_id', 'inbox_id'],
  system_event: ['system_event_id', 'event_type'],
  event: ['event_id', 'kind'],
}
