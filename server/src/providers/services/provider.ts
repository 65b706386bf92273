/** What a provider is: one rendered message in, one outcome value out. It never sees the database. */
import type { Message } from '../../content/messages/message.ts'

/** Why an address gets nothing more. */
export type SuppressionReason = 'hard_bounce' | 'complaint' | 'unsubscribed' | 'invalid'

/**
 * What became of one attempt, as a value. `retry`, `rate_limited` and `config` are the provider's trouble, so another
 * provider may be asked; `permanent` is about this message or recipient; `uncertain` means the request left and no
 * answer came, so the message may have been delivered.
 */
export type Outcome = (
  | { kind: 'sent'; provider_message_id?: string; response?: string }
  /** `is_own`: the process itself could not make the call, which says nothing about the provider. */
  | { kind: 'retry'; message: string; retry_after_ms?: number; is_own?: boolean }
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
