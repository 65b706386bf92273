/** Sending intents: what happened, and who should be notified. */
import type { Accepted, BatchAnswer, BatchInput, IntentInput, Simulation } from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'

export interface SendOptions extends CallOptions {
  /** Takes precedence over the intent's own idempotency_key. */
  idempotencyKey?: string
  /** W3C trace context; stored with the record and passed on to providers. */
  traceparent?: string
}

export function createIntents(send: Send) {
  return {
    /**
     * Sends one intent, repeating it when the connection fails. So that a repeat can never notify twice, an intent
     * without a key gets a random one. Two sends without a key are therefore two notifications, even with the same
     * content; pass a key of your own (an order number, an event id) to have Carillon recognise them as one.
     *
     * `duplicate` in the answer is true when the key and content were already accepted, possibly by an earlier try of
     * the same call whose answer was lost.
     */
    send(
      intent: IntentInput,
      { idempotencyKey, traceparent, ...options }: SendOptions = {},
    ): Promise<Accepted> {
      // In the body and not in a header, because a key may contain characters that headers cannot.
      const idempotency_key = idempotencyKey ?? intent.idempotency_key ?? crypto.randomUUID()
      return send({
        method: 'POST',
        path: '/v1/intents',
        body: { ...intent, idempotency_key },
        headers: { traceparent },
        repeatable: true,
        ...options,
      })
    },

    /**
     * Sends many intents in one call. Each item has its own answer, in order; an invalid one does not stop the others.
     * Not repeated automatically: give the items keys and send the batch again.
     */
    sendBatch(
      batch: BatchInput,
      { traceparent, ...options }: Omit<SendOptions, 'idempotencyKey'> = {},
    ): Promise<BatchAnswer> {
      return send({
        method: 'POST',
        path: '/v1/intents/batch',
        body: batch,
        headers: { traceparent },
        ...options,
      })
    },

    /** Who would get what, how and when, or why not. Nothing is stored or sent. */
    simulate(intent: IntentInput, options?: CallOptions): Promise<Simulation> {
      return send({
        method: 'POST',
        path: '/v1/intents/simulate',
        body: intent,
        repeatable: true,
        ...options,
      })
    },
  }
}
