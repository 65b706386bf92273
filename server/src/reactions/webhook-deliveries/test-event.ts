/** Sends a sample event to one endpoint, at once and outside the queue, to see whether the receiver understands it. */
import {
  ThinDomainEventData,
  ThinNotificationData,
  ThinSystemEventData,
  WEBHOOK_EXAMPLES,
  type WebhookDeliveryDetail,
  type WebhookEventType,
} from '@carillon/contract'
import { uuidv7 } from 'uuidv7'
import { notFound } from '../../platform/calls/refusal.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { makeBody } from '../webhooks/bodies.ts'
import type { EndpointDirectory } from '../webhooks/endpoints.ts'
import { getDelivery } from './deliveries.ts'
import { type Senders, sendWebhook } from './post.ts'
import { storeAttempts } from './queries.ts'

/** Works for paused and disabled endpoints too, as that is when people test them. It does not affect their health. */
export async function sendTestEvent(
  parts: Senders & { pool: Pool; endpoints: EndpointDirectory },
  tenantId: string,
  webhookId: string,
  eventType: WebhookEventType,
): Promise<WebhookDeliveryDetail> {
  const endpoint = await parts.endpoints.find(tenantId, webhookId)
  if (endpoint === undefined) throw notFound(`webhook ${webhookId}`)
  const id = uuidv7()
  const eventId = uuidv7()
  const message = {
    deliveryId: id,
    eventId,
    eventType,
    ...(await makeBody(parts.pool, endpoint.format, {
      tenantId,
      eventId,
      eventType,
      subject: subjectOf(eventType),
      data: endpoint.payloadMode === 'thin' ? thinDataOf(eventType) : WEBHOOK_EXAMPLES[eventType].data,
    })),
    traceparent: '',
  }
  const posted = await sendWebhook(parts, endpoint, message, AbortSignal.timeout(endpoint.timeoutMs + 1000))
  await storeAttempts(parts.pool, [
    {
      id,
      tenant_id: tenantId,
      webhook_id: webhookId,
      notification_id: null,
      event_id: eventId,
      event_type: eventType,
      payload: message.body,
      content_type: message.contentType,
      traceparent: '',
      ordering_key: null,
      attempt: {
        attempt_no: 1,
        started_at: posted.startedAt.toISOString(),
        duration_ms: Math.round(posted.durationMs),
        status: posted.status,
        error: posted.error,
        response_body: posted.responseBody,
      },
      delivered: posted.verdict === 'delivered',
      retry_delay_ms: null,
      is_test: true,
      redelivery_of: null,
      recovery_id: null,
    },
  ])
  return getDelivery(parts.pool, tenantId, webhookId, id)
}

function subjectOf(eventType: WebhookEventType): string {
  const { data } = WEBHOOK_EXAMPLES[eventType]
  if ('system_event_id' in data) return String(data.system_event_id)
  if ('event_id' in data) return data.event_id
  return data.route_id === null ? data.notification_id : `${data.notification_id}/${data.route_id}`
}

function thinDataOf(eventType: WebhookEventType): object {
  const { data } = WEBHOOK_EXAMPLES[eventType]
  if ('event_id' in data) return ThinDomainEventData.parse(data)
  return 'system_event_id' in data ? ThinSystemEventData.parse(data) : ThinNotificationData.parse(data)
}
