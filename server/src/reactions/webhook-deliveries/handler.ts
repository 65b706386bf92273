/**
 * Sends webhooks from the outbox: one row is one event, or one batch, for one endpoint. The delivery with its attempts
 * and the health of the endpoint are stored in the transaction that completes the row.
 */
import type { WebhookAttempt } from '@carillon/contract'
import type { Client } from '../../platform/database/pool.ts'
import { UnreadableSecret } from '../../platform/secrets/sealed-rows.ts'
import type { OutboxRow } from '../outbox/claim.ts'
import type { CompletedDispatch, HandlerResult, OutboxHandler } from '../outbox/handler.ts'
import type { Endpoint, EndpointDirectory } from '../webhooks/endpoints.ts'
import { countEndedDeliveries, type EndedDelivery } from '../webhooks/health.ts'
import { WEBHOOK_KIND } from '../webhooks/webhooks.ts'
import { type Posted, type Senders, sendWebhook } from './post.ts'
import { type AttemptedDelivery, storeAttempts } from './queries.ts'

export interface WebhookHandlerOptions extends Senders {
  endpoints: EndpointDirectory
  /** Maximum concurrent requests to one endpoint, per process. */
  maxPerEndpoint: number
  /** Called when events wait because this process cannot open the secrets of their endpoint. */
  onUnreadable?: (error: UnreadableSecret) => void
}

/** How long events of a paused endpoint are put off at a time; ending the pause makes them due at once. */
const PAUSED_DELAY_MS = 300_000
/** Another process, or this one after a restart, may have the key. */
const UNREADABLE_DELAY_MS = 15_000

export function createWebhookHandler(options: WebhookHandlerOptions): OutboxHandler<Posted> {
  return {
    sourceKind: WEBHOOK_KIND,
    maxPerTarget: options.maxPerEndpoint,
    handle: (row, signal) => deliver(options, row, signal),
    record: recordDeliveries,
    merge: mergeEvents,
  }
}

async function deliver(
  options: WebhookHandlerOptions,
  row: OutboxRow,
  signal: AbortSignal,
): Promise<HandlerResult<Posted>> {
  try {
    return await deliverTo(
      await options.endpoints.findForSending(row.tenant_id, row.target_id),
      options,
      row,
      signal,
    )
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error
    options.onUnreadable?.(error)
    return { outcome: { kind: 'busy', message: error.message, delay_ms: UNREADABLE_DELAY_MS } }
  }
}

async function deliverTo(
  endpoint: Endpoint | undefined,
  senders: Senders,
  row: OutboxRow,
  signal: AbortSignal,
): Promise<HandlerResult<Posted>> {
  if (endpoint === undefined) return { outcome: { kind: 'missing', message: 'The webhook was deleted.' } }
  if (!endpoint.isActive) return { outcome: { kind: 'permanent', message: 'The webhook is not active.' } }
  if (endpoint.isPaused)
    return { outcome: { kind: 'busy', message: 'The webhook is paused.', delay_ms: PAUSED_DELAY_MS } }
  const waitMs = await endpoint.reserve()
  if (waitMs !== undefined)
    return { outcome: { kind: 'busy', message: 'The rate limit is used up.', delay_ms: waitMs } }
  const posted = await sendWebhook(senders, endpoint, messageOf(row), signal)
  return { outcome: outcomeOf(posted), details: posted }
}

function outcomeOf(posted: Posted): HandlerResult<Posted>['outcome'] {
  const { verdict, error: message, retryAfterMs } = posted
  if (verdict === 'delivered') return { kind: 'done' }
  if (verdict === 'waits') return { kind: 'busy', message, delay_ms: retryAfterMs ?? 0 }
  if (verdict !== 'retry') return { kind: 'permanent', message }
  return { kind: 'retry', message, ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }) }
}

interface EventContext {
  /** Set when a test event is sent again. */
  is_test?: boolean
  event_id: string
  event_type?: string
  notification_id: string | null
  traceparent: string
  content_type: string
  /** Set when a delivery is sent again. */
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

/** A postponement is not an attempt, and the deliveries of a deleted webhook are deleted with it. */
async function recordDeliveries(tx: Client, dispatches: CompletedDispatch<Posted>[]): Promise<void> {
  const attempted = dispatches.filter(
    ({ completion }) => completion.uses_attempt && completion.failure_reason !== 'target_missing',
  )
  if (attempted.length === 0) return
  await storeAttempts(tx, attempted.map(toAttemptedDelivery))
  await countEndedDeliveries(
    tx,
    attempted.filter(({ completion }) => completion.action !== 'retry').map(toEndedDelivery),
  )
}

function toAttemptedDelivery({ row, completion, details }: CompletedDispatch<Posted>): AttemptedDelivery {
  const context = row.context as unknown as EventContext
  const { eventType } = messageOf(row)
  const attempt: WebhookAttempt = {
    // The worker that takes over from one that died during the last attempt makes no attempt of its own.
    attempt_no: Math.min(row.attempt_count, row.max_attempts),
    started_at: (details?.startedAt ?? new Date()).toISOString(),
    duration_ms: Math.round(details?.durationMs ?? 0),
    status: details?.status ?? null,
    error: details?.error ?? completion.message,
    response_body: details?.responseBody ?? '',
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

function toEndedDelivery({ row, completion, details }: CompletedDispatch<Posted>): EndedDelivery {
  return {
    tenant_id: row.tenant_id,
    webhook_id: row.target_id,
    arrived: completion.action === 'done',
    gone: details?.verdict === 'gone',
    trigger_depth: row.trigger_depth,
  }
}

/** Combines the bodies as text, so that each event keeps its bytes. */
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
