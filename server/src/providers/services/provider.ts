/** What a provider is: one rendered message in, one outcome value out. It never sees the database. */
import type { Message } from '../../content/messages/message.ts'

/** Why an address gets nothing more. */
export type SuppressionReason = 'hard_bounce' | 'complaint' | 'unsubscribed' | 'invalid'

/**
 * What became of one attempt, as a value. `retry`, `rate_limited` and `config` are problems of the provider, so another
 * one may be tried; `permanent` is about this message or recipient; `uncertain` means that the request left and no
 * answer came, so the message may have been delivered.
 */
export type Outcome = (
  | { kind: 'sent'; provider_message_id?: string; response?: string }
  /** `about_recipient`: it is refused for now because of its recipient, which says nothing about the provider. */
  | { kind: 'retry'; message: string; retry_after_ms?: number; about_recipient?: true }
  | { kind: 'rate_limited'; message: string; retry_after_ms?: number }
  /** `suppress`: the address itself is at fault and gets nothing more. */
  | { kind: 'permanent'; message: string; suppress?: SuppressionReason }
  | { kind: 'config'; message: string }
  /** `hold`: not to be sent again until a person has looked into it. */
  | { kind: 'uncertain'; message: string; hold?: boolean }
) & {
  /** Devices that are gone, according to the provider; they are removed. */
  gone_devices?: string[]
}

export interface Provider {
  readonly name: string
  /** Never throws for a failed delivery: every failure is an outcome. Aborting the signal ends the attempt. */
  send(message: Message, signal: AbortSignal): Promise<Outcome>
  /**
   * Whether a message arrived although no answer came. Implemented by providers that can tell; undefined means unknown.
   */
  wasSent?(message: Message, signal: AbortSignal): Promise<boolean | undefined>
  close(): Promise<void>
}
