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
  | { kind: 'uncertain'; message: string; hold?: boolean; fault?: Fault }
) & {
  /** Devices that do not exist any more, according to the provider. */
  gone_devices?: string[]
  /** When they ceased to exist, as an ISO time: one that was registered after that does exist. */
  gone_since?: Record<string, string>
  /** Devices that the provider refuses, perhaps because of our settings. */
  rejected_devices?: string[]
  /** Devices that have the message, whatever became of the others: a repeat leaves them out. */
  reached_devices?: string[]
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

export interface Provider {
  readonly name: string
  /**
   * For providers with a limited number of connections: waits until one is free. Without a place, `send` waits itself, but
   * then nobody can be told in the meantime that the provider is failing.
   */
  takePlace?(signal: AbortSignal): Promise<Place>
  /** Never throws for a failed delivery: every failure is an outcome. Aborting the signal ends the attempt. */
  send(message: Message, signal: AbortSignal, place?: Place): Promise<Outcome>
  /**
   * Whether a message arrived although no answer came. Implemented by providers that can tell; undefined means unknown.
   */
  wasSent?(message: Message, signal: AbortSignal): Promise<boolean | undefined>
  close(): Promise<void>
}
