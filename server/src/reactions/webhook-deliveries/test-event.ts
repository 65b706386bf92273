/** Sends a sample event to one endpoint, at once and outside the queue, to see whether the receiver understands it. */
import { WEBHOOK_EXAMPLES, type WebhookDeliveryDetail, type WebhookEventType } from '@carillon/contract'
import { uuidv7 } from 'uuidv7'
import { notFound } from '../../platform/calls/refusal.ts'
import type { Pool } from '../../platform/database/pool.ts'
import type { HttpClient } from '../../platform/outgoing/http-client.ts'
import type { EndpointDirectory } from '../webhooks/endpoints.ts'
import { getDelivery } from './deliveries.ts'
import { postWebhook } from './post.ts'
import { storeAttempts } from './queries.ts'

/** Works for paused and disabled endpoints too, as that is when people test them. It does not affect their health. */
export async function sendTestEvent(
  parts: { pool: Pool; http: HttpClient; endpoints: EndpointDirectory },
  tenantId: string,
  webhookId: string,
  eventType: WebhookEventType,
): Promise<WebhookDeliveryDetail> {
  const endpoint = await parts.endpoints.find(tenantId, webhookId)
  if (endpoint === undefined) throw notFound(`webhook ${webhookId}`)
  const id = uuidv7()
  const eventId = uuidv7()
  const example = { ...WEBHOOK_EXAMPLES[eventType], id: eventId, timestamp: new Date().toISOString() }
  const message = {
    deliveryId: id,
    eventId,
    eventType,
    body: JSON.stringify(example),
    contentType: 'application/json',
    traceparent: '',
  }
  const posted = await postWebhook(
    parts.http,
    endpoint,
    message,
    AbortSignal.timeout(endpoint.timeoutMs + 1000),
  )
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
