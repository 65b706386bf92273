/** A provider as delivery sees it. */
import type { Message } from '../../content/messages/message.ts'
import type { Place } from '../../platform/queue/places.ts'
import type { Inquiry, Outcome } from '../../providers/services/provider.ts'

/** What delivery needs to know of a provider; it comes from the directory of providers. */
export interface Candidate {
  /** For what is stored about it; providers without one store nothing. */
  id?: string
  name: string
  provider: {
    /** Waits for a free connection. */
    takePlace?(signal: AbortSignal): Promise<Place>
    send(message: Message, signal: AbortSignal, place?: Place): Promise<Outcome>
    inquiry?: Inquiry
  }
  breaker?: {
    /** undefined while no message may be sent. */
    admit(): Promise<Pass | undefined>
    /** How long to wait; 0 if a message would be admitted now. */
    waitMs(): number
  }
  /** Is told what the service thinks of our account: its credentials, its sender, its permissions. */
  account?: {
    accepted(): Promise<void>
    refused(error: string): Promise<void>
  }
  /** Takes one send from the rate limit; if none is left, answers how many milliseconds to wait. */
  reserve?: () => Promise<number | undefined>
  /** What is left of the rate limit; takes nothing from it. */
  rateLeft?: () => Promise<{ left: number; wait_ms: number }>
  /** The kind of devices it sends to; undefined if it does not send to devices. */
  devices?: string
  reportsBack: boolean
  uncertainPolicy: 'resend' | 'ask' | 'hold'
  /** Why this process cannot send through it now. `elsewhere`: another process can. */
  unavailable?: { text: string; elsewhere: boolean }
}

/** A breaker's permission to send one message. It has to be told what came of it, or it waits for a lost probe. */
export interface Pass {
  succeeded(): Promise<void>
  failed(error: string): Promise<void>
  /** Nothing was learnt about the provider; there is no point in another probe before `waitMs` are over. */
  inconclusive(waitMs?: number): Promise<void>
}
