/**
 * Webhooks as riders of the outbox: one row is one event for one endpoint. The delivery with its attempts and the health
 * of the endpoint are stored in the transaction that completes the row.
 */
import type { WebhookAttempt } from '@carillon/contract'
import type { Client } from '../../platform/database/pool.ts'
import type { HttpClient } from '../../platform/outgoing/http-client.ts'
import type { OutboxRow } from '../outbox/claim.ts'
import type { Dispatched, OutboxHandler, Settled } from '../outbox/handler.ts'
import type { EndpointDirectory } from '../webhooks/endpoints.ts'
import { type EndedDelivery, noteEndedDeliveries } from '../webhooks/health.ts'
import { WEBHOOK_KIND } from '../webhooks/webhooks.ts'
import { type Posted, postWebhook } from './post.ts'
import { type AttemptedDelivery, storeAttempts } from './queries.ts'

export interface WebhookHandlerOptions {
  http: HttpClient
  endpoints: EndpointDirectory
  /** Most requests to one endpoint at a time, per process. */
  perEndpoint: number
}

/** A paused endpoint is looked at again after this long; ending the pause makes its events due at once. */
const PAUSE_MS = 300_000

export function createWebhookHandler(options: WebhookHandlerOptions): OutboxHandler<Posted> {
  return {
    sourceKind: WEBHOOK_KIND,
    perTarget: options.perEndpoint,
    handle: (row, signal) => deliver(options, row, signal),
    record: recordDeliveries,
    merge: mergeEvents,
  }
}

async function deliver(
  { http, endpoints }: WebhookHandlerOptions,
  row: OutboxRow,
  signal: AbortSignal,
): Promise<Dispatched<Posted>> {
  const endpoint = await endpoints.find(row.tenant_id, row.target_id)
  if (endpoint === undefined) return { outcome: { kind: 'missing', message: 'The webhook was deleted.' } }
  if (!endpoint.isActive) return { outcome: { kind: 'permanent', message: 'The webhook is not active.' } }
  if (endpoint.isPaused)
    return { outcome: { kind: 'busy', message: 'The webhook is paused.', delay_ms: PAUSE_MS } }
  const wait = await endpoint.reserve()
  if (wait !== undefined)
    return { outcome: { kind: 'busy', message: 'The rate is used up.', delay_ms: wait } }
  const posted = await postWebhook(http, endpoint, messageOf(row), signal)
  return { outcome: outcomeOf(posted), note: posted }
}

function outcomeOf(posted: Posted): Dispatched<Posted>['outcome'] {
  const { verdict, error: message, retryAfterMs } = posted
  if (verdict === 'delivered') return { kind: 'done' }
  if (verdict !== 'retry') return { kind: 'permanent', message }
  return { kind: 'retry', message, ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }) }
}

interface EventContext {
  /** Of a test event that is sent again. */
  is_test?: boolean
  event_id: string
  event_type?: string
  notification_id: string | null
  traceparent: string
  content_type: string
  /** Of what is sent again. */
  redelivery_of?: string
  recovery_id?: string | null
}

function messageOf(row: OutboxRow) {
  const context = row.context as unknown as EventContext
  return {
    deliveryId: row.id,
    eventId: context.event_id,
    eventType: context.event_type ?? row.op,
    body: row.payload,
    contentType: context.content_type,
    traceparent: context.traceparent,
  }
}

/** Postponements leave no trace, and the deliveries of a deleted webhook are gone with it. */
async function recordDeliveries(tx: Client, settled: Settled<Posted>[]): Promise<void> {
  const attempted = settled.filter(
    ({ completion }) => completion.uses_attempt && completion.failure_reason !== 'target_missing',
  )
  if (attempted.length === 0) return
  await storeAttempts(tx, attempted.map(toAttemptedDelivery))
  await noteEndedDeliveries(
    tx,
    attempted.filter(({ completion }) => completion.action !== 'retry').map(toEnded),
  )
}

function toAttemptedDelivery({ row, completion, note }: Settled<Posted>): AttemptedDelivery {
  const context = row.context as unknown as EventContext
  const { eventType } = messageOf(row)
  const attempt: WebhookAttempt = {
    // A worker that died used up its attempt, but whoever takes over makes none.
    attempt_no: Math.min(row.attempt_count, row.max_attempts),
    started_at: (note?.startedAt ?? new Date()).toISOString(),
    duration_ms: Math.round(note?.durationMs ?? 0),
    status: note?.status ?? null,
    error: note?.error ?? completion.message,
    response_body: note?.responseBody ?? '',
  }
  return {
    id: row.id,
    tenant_id: row.tenant_id,
    webhook_id: row.target_id,
    notification_id: context.notification_id,
    event_id: context.event_id,
    event_type: eventType,
    payload: row.payload,
    content_type: context.content_type,
    traceparent: context.traceparent,
    ordering_key: row.ordering_key,
    attempt,
    delivered: completion.action === 'done',
    retry_delay_ms: completion.delay_ms,
    is_test: context.is_test === true,
    redelivery_of: context.redelivery_of ?? null,
    recovery_id: context.recovery_id ?? null,
  }
}

function toEnded({ row, completion, note }: Settled<Posted>): EndedDelivery {
  return {
    tenant_id: row.tenant_id,
    webhook_id: row.target_id,
    arrived: completion.action === 'done',
    gone: note?.verdict === 'gone',
    trigger_depth: row.trigger_depth,
  }
}

/** Bodies are put together as text: each event keeps the bytes it was made with. */
function mergeEvents(rows: OutboxRow[]): Pick<OutboxRow, 'payload' | 'context'> {
  const [head] = rows as [OutboxRow]
  const { content_type } = head.context as unknown as EventContext
  const isCloudEvents = content_type === 'application/cloudevents+json'
  const list = `[${rows.map(row => row.payload).join(',')}]`
  const context: EventContext = {
    event_id: head.id,
    event_type: 'batch',
    notification_id: null,
    traceparent: '',
    content_type: isCloudEvents ? 'application/cloudevents-batch+json' : content_type,
  }
  const timestamp = new Date().toISOString()
  const payload = isCloudEvents
    ? list
    : `{"id":"${head.id}","type":"batch","timestamp":"${timestamp}","data":${list}}`
  return { payload, context: { ...context } }
}
