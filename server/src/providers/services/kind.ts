/** A kind of provider: what it reaches, which settings it needs, and how to make one from them. */
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
  /** Push kinds reach devices of this kind; a person without one is skipped. */
  readonly devices?: DeviceKind
  /** Each recipient's own server is called: its failures say nothing about the provider, so no breaker counts them. */
  readonly recipientEndpoints?: true
  /** Connects past the address guard, so that only operators, never tenants, may set one up. */
  readonly operatorOnly?: true
  /** Settings anybody may see; forms are built from it. */
  readonly config: z.ZodType<Config>
  /** Settings nobody sees again; stored encrypted. */
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
  /** Where the service reports back, when Carillon is reachable from outside; undefined otherwise. */
  callbackUrl: string | undefined
  now: () => number
}

/** Verifies and reads what a service reports. */
export interface CallbackReader<Config, Secrets> {
  /** Throws a ForgedCallback when the signature does not hold. Answers nothing for events that do not concern us. */
  read(request: CallbackRequest, settings: ProviderSettings<Config, Secrets>): Promise<Feedback[]>
}

export interface CallbackRequest {
  /** The whole URL as the service called it; some sign it. */
  url: string
  headers: Record<string, string | undefined>
  body: Buffer
}

/** One thing a service says about one message. */
export interface Feedback {
  /** Our message id, carried along through the service; '' for what concerns an address alone, such as an SMS STOP. */
  message_id: string
  /** The service's id of this event; the same event reported twice counts once. */
  event_id: string
  kind: 'delivered' | 'bounced' | 'complained' | 'opened' | 'failed' | 'unsubscribed'
  /** Whose address must get nothing more. */
  suppress?: { address: string; reason: SuppressionReason }
  detail: string
  at: Date
}

/** The signature is missing, wrong or too old. */
export class ForgedCallback extends Error {}
