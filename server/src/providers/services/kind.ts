/** A kind of provider: which channels it serves, which settings it needs, and how to create a provider from them. */
import type { Channel } from '@carillon/contract'
import type { z } from 'zod'
import type { DeviceKind } from '../../content/messages/message.ts'
import type { HttpClient } from '../../platform/outgoing/http-client.ts'
import type { Provider, SuppressionReason } from './provider.ts'

export interface ProviderKind<Config = unknown, Secrets = unknown> {
  /** As stored and shown: sendgrid, twilio, fcm. */
  readonly name: string
  /** As the service calls itself: SendGrid. */
  readonly title: string
  readonly channels: Channel[]
  /** The one that is meant if nobody says which of several. */
  readonly usualChannel?: Exclude<Channel, 'in_app'>
  /** Push kinds reach devices of this kind; a person without one is skipped. */
  readonly devices?: DeviceKind
  /** Calls each recipient's own server, whose failures say nothing about the provider: the breaker does not count them. */
  readonly recipientEndpoints?: true
  /** The address guard does not cover it, so only operators, never tenants, may set one up. */
  readonly operatorOnly?: true
  /** The service can be asked whether it has a message, so the policy `ask` works. */
  readonly canBeAsked?: true
  /** Settings that may be shown; forms are built from this schema. */
  readonly config: z.ZodType<Config>
  /** Settings that are never shown again; stored encrypted. */
  readonly secrets: z.ZodType<Secrets>
  create(settings: ProviderSettings<Config, Secrets>): Provider
  /** For services that report back what became of a message. */
  readonly callback?: CallbackReader<Config, Secrets>
}

export interface ProviderSettings<Config, Secrets> {
  /** The provider's own name, given by its tenant. */
  name: string
  config: Config
  secrets: Secrets
  timeoutMs: number
  http: HttpClient
  /** For services that speak HTTP/2 only. */
  http2: HttpClient
  /** Where the service can report back; undefined when Carillon has no public URL. */
  callbackUrl: string | undefined
  now: () => number
}

/** Verifies and reads what a service reports. */
export interface CallbackReader<Config, Secrets> {
  /** What the service wants to be answered, if it is not indifferent. */
  readonly answer?: CallbackAnswer
  /** Throws a ForgedCallback when the signature is not valid. Returns nothing for events that do not concern us. */
  read(request: CallbackRequest, settings: ProviderSettings<Config, Secrets>): Promise<Feedback[]>
}

export interface CallbackAnswer {
  contentType: string
  body: string
}

export interface CallbackRequest {
  /** The whole URL as the service called it; some sign it. */
  url: string
  headers: Record<string, string | undefined>
  body: Buffer
}

/** One event that a service reports, about a message or an address. */
export interface Feedback {
  /** Our message id, as the service returned it; '' for events about an address alone, such as an SMS STOP. */
  message_id: string
  /** The service's id of this event; an event that is reported twice counts once. */
  event_id: string
  kind:
    | 'delivered'
    | 'bounced'
    | 'complained'
    | 'opened'
    | 'failed'
    | 'unsubscribed'
    | 'resubscribed'
    /** Changes nothing, but its id is used up. */
    | 'ignored'
  /** Whose copy of the message it is about, if the service says so: a mail may have gone to several. */
  recipient?: string
  /** The address that must get nothing more. */
  suppress?: { address: string; reason: SuppressionReason }
  /** The address that wants messages again, after it did not. */
  lift?: { address: string }
  detail: string
  at: Date
}

/** The signature is missing, wrong or too old. */
export class ForgedCallback extends Error {}
