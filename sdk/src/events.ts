/** Events: what happened in the application, and how far their consumers have read. */
import type {
  DomainEvent,
  EmittedEvent,
  EventBatchAnswer,
  EventBatchInput,
  EventConsumerName,
  EventCursor,
  EventExplainQuery,
  EventExplanation,
  EventQuery,
  EventSimulation,
  NewEvent,
} from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import type { SendOptions } from './intents.ts'
import { pagedList } from './pages.ts'
import { path } from './path.ts'

export function createEvents(send: Send) {
  return {
    ...pagedList<DomainEvent, EventQuery>(send, '/v1/events'),

    /**
     * Tells what happened, repeating the request when the connection fails. So that a repeat can never be a second event,
     * one without a key gets a random one. `duplicate` is true if the key and content were accepted before.
     */
    emit(
      event: NewEvent,
      { idempotencyKey, traceparent, ...options }: SendOptions = {},
    ): Promise<EmittedEvent> {
      const idempotency_key = idempotencyKey ?? event.idempotency_key ?? crypto.randomUUID()
      return send({
        method: 'POST',
        path: '/v1/events',
        body: { ...event, idempotency_key },
        headers: { traceparent },
        repeatable: true,
        ...options,
      })
    },

    /** Each item has its own answer, in order. Not repeated automatically: give the items keys and send the batch again. */
    emitBatch(
      batch: EventBatchInput,
      { traceparent, ...options }: Omit<SendOptions, 'idempotencyKey'> = {},
    ): Promise<EventBatchAnswer> {
      return send({
        method: 'POST',
        path: '/v1/events/batch',
        body: batch,
        headers: { traceparent },
        ...options,
      })
    },

    get(eventId: string, options?: CallOptions): Promise<DomainEvent> {
      return send({ method: 'GET', path: path`/v1/events/${eventId}`, ...options })
    },

    /** What became of an event: who was told by which rule, or why not. People come in pages. */
    explain(
      eventId: string,
      query: Partial<EventExplainQuery> = {},
      options?: CallOptions,
    ): Promise<EventExplanation> {
      return send({ method: 'GET', path: path`/v1/events/${eventId}/explain`, query, ...options })
    },

    /** Who would be told of an event, how and why, or why not. Nothing is stored or sent. */
    simulate(event: NewEvent, options?: CallOptions): Promise<EventSimulation> {
      return send({
        method: 'POST',
        path: '/v1/events/simulate',
        body: event,
        repeatable: true,
        ...options,
      })
    },

    /** How far each consumer has read the log. */
    consumers(options?: CallOptions): Promise<{ data: EventCursor[] }> {
      return send({ method: 'GET', path: '/v1/event-consumers', ...options })
    },

    /** Has a consumer continue after another place in the log: events are passed over, or read again. */
    resetConsumer(
      consumer: EventConsumerName,
      toEventId: number,
      options?: CallOptions,
    ): Promise<EventCursor> {
      return send({
        method: 'POST',
        path: path`/v1/event-consumers/${consumer}/reset`,
        body: { to_event_id: toEventId },
        ...options,
      })
    },
  }
}
