/** What a provider is: one rendered message in, one outcome value out. It never sees the database. */
import type { Message } from '../../content/messages/message.ts'
import type { Place } from '../../platform/queue/places.ts'

/** Why an address gets nothing more. */
export type SuppressionReason = 'hard_bounce' | 'complaint' | 'unsubscribed' | 'invalid'

/**
 * Whose fault a failure is: the message's (its content or payload), the recipient's (another one may well be reached), our
 * account's (credentials, sender, permissions, credit: whatever the settings say), the provider's own, or this process's,
 * which could not make the call. Only the provider's says that it is failing for everybody.
 */
export type Fault = 'message' | 'recipient' | 'account' | 'provider' | 'process'

/**
 * What became of one attempt, as a value. After `retry`, `rate_limited` and `config` another provider may be tried;
 * `permanent` is final, whoever sends it; `uncertain` means that the request left and no answer came, so the message may
 * have been delivered. `fault` is given where it is not the one that the kind suggests.
 */
export type Outcome = (
  | { kind: 'sent'; provider_message_id?: string; response?: string }
  | { kind: 'retry'; message: string; retry_after_ms?: number; fault?: Fault }
  | { kind: 'rate_limited'; message: string; retry_after_ms?: number; fault?: Fault }
  /** `suppress`: the address itself is at fault and gets nothing more. */
  | { kind: 'permanent'; message: string; suppress?: SuppressionReason; fault?: Fault }
  | { kind: 'config'; message: string; fault?: Fault }
  /** `hold`: not to be sent again until a person has looked into it. */
  | { kind: 'uncertain'; message: string; hold?: boolean; retry_after_ms?: number; fault?: Fault }
) & {
  /** Devices that do not exist any more, according to the provider. */
  gone_devices?: string[]
  /** When they ceased to exist, as an ISO time: one that was registered after that does exist. */
  gone_since?: Record<string, string>
  /** Devices that the provider refuses, perhaps because of our settings. */
  rejected_devices?: string[]
  /** Devices that have the message, whatever became of the others: a repeat leaves them out. */
  reached_devices?: string[]
  /** For services that say only later whether a device got it. */
  tickets?: Ticket[]
}

export interface Ticket {
  device_id: string
  ticket: string
  /** The provider that can be asked about it; added by whoever called it. */
  provider_id?: string
}

/**
 * What became of a message that was accepted with a ticket. `gone`: the device does not exist any more; `account`: our
 * credentials are refused; `refused`: it did not get this one.
 */
export type Receipt = { kind: 'accepted' } | { kind: 'gone' | 'account' | 'refused'; message: string }

export interface Receipts {
  /** By ticket; those that there is no receipt for yet are left out. Throws if the service does not answer. */
  fetch(tickets: string[], signal: AbortSignal): Promise<Map<string, Receipt>>
}

/** Failures of each kind are usually the fault of these. A rate limit is the answer of a provider that works. */
const USUAL_FAULT: Record<Exclude<Outcome['kind'], 'sent'>, Fault> = {
  retry: 'provider',
  rate_limited: 'account',
  permanent: 'message',
  config: 'account',
  uncertain: 'provider',
}

export function faultOf(outcome: Exclude<Outcome, { kind: 'sent' }>): Fault {
  if (outcome.kind === 'permanent' && outcome.suppress !== undefined) return outcome.fault ?? 'recipient'
  return outcome.fault ?? USUAL_FAULT[outcome.kind]
}

export interface Inquiry {
  /**
   * Whether the service has a message that may have reached it at `since` or later; undefined means unknown. Never false
   * if it might have it.
   */
  wasSent(message: Message, since: Date, signal: AbortSignal): Promise<boolean | undefined>
  /** A service that has the message shows it after this time at the latest; before, false means nothing. */
  readonly settlesAfterMs: number
}

export interface Provider {
  readonly name: string
  /**
   * For providers with a limited number of connections: waits until one is free. Without a place, `send` waits itself, but
   * then nobody can be told in the meantime that the provider is failing.
   */
  takePlace?(signal: AbortSignal): Promise<Place>
  /** Never throws for a failed delivery: every failure is an outcome. Aborting the signal ends the attempt. */
  send(message: Message, signal: AbortSignal, place?: Place): Promise<Outcome>
  /** For services that can be asked whether they have a message, after no answer came. */
  inquiry?: Inquiry
  /** For services that answer with tickets. */
  receipts?: Receipts
  close(): Promise<void>
}
