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
  /** Where a push goes; empty on the other channels. */
  devices: Device[]
  /** One POST to it unsubscribes (RFC 8058); null where nothing can be unsubscribed from. */
  unsubscribe_url: string | null
  request_id: string
  traceparent: string
}

/** One app installation or browser of a person. */
export interface Device {
  id: string
  kind: DeviceKind
  /** The provider's registration token; for web push the subscription as JSON. */
  token: string
}

export type DeviceKind = 'fcm' | 'apns' | 'expo' | 'web_push'

/** Why an address gets nothing more. */
export type SuppressionReason = 'hard_bounce' | 'complaint' | 'unsubscribed' | 'invalid'

/**
 * What became of one attempt, as a value. `retry`, `rate_limited` and `config` are the provider's trouble, so another
 * provider may be asked; `permanent` is about this message or recipient; `uncertain` means the request left and no
 * answer came, so the message may have been delivered.
 */
export type Outcome = (
  | { kind: 'sent'; provider_message_id?: string; response?: string }
  | { kind: 'retry'; message: string; retry_after_ms?: number }
  | { kind: 'rate_limited'; message: string; retry_after_ms?: number }
  /** `suppress`: the address itself is at fault and gets nothing more. */
  | { kind: 'permanent'; message: string; suppress?: SuppressionReason }
  | { kind: 'config'; message: string }
  /** `hold`: not to be sent again before a person has looked. */
  | { kind: 'uncertain'; message: string; hold?: boolean }
) & {
  /** Devices the provider says are gone; they are forgotten. */
  gone_devices?: string[]
}

export interface Provider {
  readonly name: string
  /** Never throws for a failed delivery: every failure is an outcome. Aborting the signal ends the attempt. */
  send(message: Message, signal: AbortSignal): Promise<Outcome>
  /**
   * Did a message whose answer never came arrive? Providers that can tell implement it; undefined means not known.
   */
  wasSent?(message: Message, signal: AbortSignal): Promise<boolean | undefined>
  close(): Promise<void>
}
