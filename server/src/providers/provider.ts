/** What a provider is: one rendered message in, one outcome value out. It never sees the database. */
import type { Channel } from '@carillon/contract'

/** One message for one recipient on one channel, rendered and ready to send. */
export interface Message {
  tenant_id: string
  notification_id: string
  route_id: string
  /** Made from record and route, so a repeat after a crash carries the same id and receivers can drop it. */
  message_id: string
  channel: Channel
  /** Also the template id: providers that render on their side pick the template by it. */
  notification_type: string
  recipient_ref: string
  /** The person's id in the caller's own system; null for plain addresses. */
  user_id: string | null
  /** Where to send: mail address, phone number, URL; '' on channels that address the user. */
  address: string
  locale: string
  subject: string
  text: string
  html: string | null
  payload: unknown
  request_id: string
  traceparent: string
}

/**
 * What became of one attempt, as a value. `retry` and `rate_limited` may say how long to wait; `config` means the
 * operator must act; `uncertain` means the request left and no answer came, so the message may have been delivered.
 */
export type Outcome =
  | { kind: 'sent'; provider_message_id?: string; response?: string }
  | { kind: 'retry'; message: string; retry_after_ms?: number }
  | { kind: 'rate_limited'; message: string; retry_after_ms?: number }
  | { kind: 'permanent'; message: string }
  | { kind: 'config'; message: string }
  | { kind: 'uncertain'; message: string }

export interface Provider {
  readonly name: string
  /** Never throws for a failed delivery: every failure is an outcome. Aborting the signal ends the attempt. */
  send(message: Message, signal: AbortSignal): Promise<Outcome>
  /** Ends all connections at once, so it comes after the last outcome; what is under way ends without an answer. */
  close(): Promise<void>
}
