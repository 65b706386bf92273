/**
 * Most services take one HTTP request per message. A definition says what the request looks like and what the answers
 * mean; this file makes a provider of it. Where no rule matches, the HTTP status decides.
 */
import type { Channel } from '@carillon/contract'
import type { z } from 'zod'
import type { Message } from '../../content/messages/message.ts'
import { type HttpAnswer, HttpFailure, type HttpRequest } from '../../platform/outgoing/http-client.ts'
import { createRedactor, secretsInHeaders } from '../../platform/outgoing/redact.ts'
import { parseRetryAfter } from '../../platform/outgoing/retry-after.ts'
import { cut } from '../../platform/text/cut.ts'
import type { CallbackReader, ProviderKind, ProviderSettings } from './kind.ts'
import { type Fault, faultOf, type Inquiry, type Outcome, type SuppressionReason } from './provider.ts'

/**
 * What an answer means: try again later, slow down, our settings are wrong, give up, give up and suppress the address,
 * or success.
 */
export type ErrorClass = 'retry' | 'rate_limited' | 'config' | 'permanent' | 'suppress' | 'sent'

export interface ErrorRule {
  status?: number | number[]
  /** Matches the body. */
  body?: RegExp
  /** Matches this header, by its lower-case name: some services name the failure there. */
  header?: { name: string; value: RegExp }
  then: ErrorClass
  /** Whose fault it is, where it is not the one that `then` suggests. */
  fault?: Fault
  /** With `suppress`: why. */
  reason?: SuppressionReason
}

export interface HttpProviderDefinition<Config, Secrets> {
  name: string
  title: string
  channels: Channel[]
  usualChannel?: Exclude<Channel, 'in_app'>
  config: z.ZodType<Config>
  secrets: z.ZodType<Secrets>
  request(message: Message, settings: ProviderSettings<Config, Secrets>): HttpRequest | Promise<HttpRequest>
  /** The service's own id of an accepted message. */
  messageId?(answer: HttpAnswer): string | undefined
  /** The first rule that matches decides. Some services answer 200 and put the failure in the body. */
  rules?: ErrorRule[]
  /** Where the recipient has moved to, if the service says so: the message is sent once more, to that address. */
  movedTo?(answer: HttpAnswer): string | undefined
  /** For services that say how long to wait in the body instead of a Retry-After header. */
  retryAfterSeconds?(answer: HttpAnswer): number | undefined
  /**
   * The service's own hosts, for services whose URL may be the recipient's address. What goes wrong at any other host that a
   * recipient names is that recipient's fault.
   */
  hosts?: RegExp
  /** Secrets that are not in the settings, such as a webhook URL in the address. They are never stored. */
  secretsOf?(message: Message, settings: ProviderSettings<Config, Secrets>): string[]
  /** For services that can be asked whether they have a message. */
  ask?: {
    request(message: Message, settings: ProviderSettings<NoInfer<Config>, NoInfer<Secrets>>): HttpRequest
    /** What its answer with status 200 means; undefined if it does not tell. */
    hasMessage(answer: HttpAnswer, since: Date): boolean | undefined
    settlesAfterMs: number
    maxAnswerBytes?: number
  }
  /** For services that report back what became of a message. */
  callback?: CallbackReader<NoInfer<Config>, NoInfer<Secrets>>
}

/** Thrown by `request` when the settings are wrong, either for every message or for this one. */
export class Misconfigured extends Error {
  /** Unless given, the account's: no message could be sent. */
  readonly fault: Fault | undefined

  constructor(message: string, fault?: Fault) {
    super(message)
    this.fault = fault
  }
}

export function defineHttpProvider<Config, Secrets>(
  definition: HttpProviderDefinition<Config, Secrets>,
): ProviderKind<Config, Secrets> {
  const { name, title, channels, usualChannel, config, secrets, callback, ask } = definition
  return {
    name,
    title,
    channels,
    ...(usualChannel && { usualChannel }),
    config,
    secrets,
    ...(callback && { callback }),
    ...(ask && { canBeAsked: true }),
    create(settings) {
      return {
        name: settings.name,
        send: (message, signal) => attempt(definition, settings, message, signal),
        ...(ask && { inquiry: inquiryOf(ask, settings) }),
        // The connections belong to the shared client.
        close: async () => {},
      }
    },
  }
}

function inquiryOf<Config, Secrets>(
  ask: NonNullable<HttpProviderDefinition<Config, Secrets>['ask']>,
  settings: ProviderSettings<Config, Secrets>,
): Inquiry {
  const { settlesAfterMs, maxAnswerBytes } = ask
  return {
    settlesAfterMs,
    async wasSent(message, since, signal) {
      const answer = await settings.http.send(ask.request(message, settings), {
        signal,
        timeoutMs: settings.timeoutMs,
        ...(maxAnswerBytes !== undefined && { maxAnswerBytes }),
      })
      return answer.status === 200 ? ask.hasMessage(answer, since) : undefined
    },
  }
}

async function attempt<Config, Secrets>(
  definition: HttpProviderDefinition<Config, Secrets>,
  settings: ProviderSettings<Config, Secrets>,
  message: Message,
  signal: AbortSignal,
  hasMoved = false,
): Promise<Outcome> {
  const secrets = [...stringsIn(settings.secrets), ...(definition.secretsOf?.(message, settings) ?? [])]
  let isRecipientsHost = false
  const judged = (outcome: Outcome) =>
    withoutSecrets(inDoubt(message, isRecipientsHost ? blamingRecipient(outcome) : outcome), secrets)
  try {
    const request = await definition.request(message, settings)
    isRecipientsHost = isNamedBy(message.address, new URL(request.url), definition.hosts)
    // Basic authentication contains the secret in another form.
    secrets.push(...secretsInHeaders({ authorization: request.headers?.authorization ?? '' }))
    const traced = { ...(message.traceparent && { traceparent: message.traceparent }), ...request.headers }
    const answer = await settings.http.send(
      { ...request, headers: traced },
      { signal, timeoutMs: settings.timeoutMs },
    )
    const { rules = [], messageId, retryAfterSeconds } = definition
    const address = hasMoved ? undefined : definition.movedTo?.(answer)
    if (address !== undefined) return attempt(definition, settings, { ...message, address }, signal, true)
    const timed = withRetryAfterHeader(answer, retryAfterSeconds?.(answer))
    return judged(judgeAnswer(timed, rules, messageId, settings.now))
  } catch (error) {
    return judged(judgeFailure(error, URL.canParse(message.address)))
  }
}

/** Whether the recipient chose the host that is called, and it is not the service's own. */
function isNamedBy(address: string, target: URL, serviceHosts: RegExp | undefined): boolean {
  if (!URL.canParse(address) || new URL(address).host !== target.host) return false
  return serviceHosts === undefined || !serviceHosts.test(target.hostname)
}

/** A service that refuses an address of several does not say which one in a way that can be read. */
export function inDoubt({ options }: Message, outcome: Outcome): Outcome {
  if (outcome.kind !== 'permanent' || (options?.cc ?? options?.bcc) === undefined) return outcome
  const { suppress: _, ...rest } = outcome
  return { ...rest, fault: faultOf(outcome) }
}

/** Otherwise one recipient with a dead URL would stop the provider for everybody. */
function blamingRecipient(outcome: Outcome): Outcome {
  if (outcome.kind === 'sent' || faultOf(outcome) !== 'provider') return outcome
  return { ...outcome, fault: 'recipient' }
}

/** The outcome as it may be stored: a service may echo in its answer what we sent. */
export function withoutSecrets(outcome: Outcome, secrets: string[]): Outcome {
  const redact = createRedactor(secrets)
  return outcome.kind === 'sent'
    ? { ...outcome, response: redact(outcome.response ?? '') }
    : { ...outcome, message: redact(outcome.message) }
}

/** Judges by the first rule that matches, or else by the status. */
export function judgeAnswer(
  answer: HttpAnswer,
  rules: ErrorRule[],
  messageId: ((answer: HttpAnswer) => string | undefined) | undefined,
  now: () => number,
): Outcome {
  const rule = rules.find(candidate => matches(candidate, answer))
  const meaning = rule?.then ?? meaningOfStatus(answer.status)
  const message = describeAnswer(answer)
  const waitMs = parseRetryAfter(answer.headers['retry-after'], now)
  const retryAfter = waitMs === undefined ? {} : { retry_after_ms: waitMs }
  const fault = rule?.fault === undefined ? {} : { fault: rule.fault }
  switch (meaning) {
    case 'sent': {
      const id = messageId?.(answer)
      return {
        kind: 'sent',
        response: message,
        ...(id !== undefined && id !== '' && { provider_message_id: id }),
      }
    }
    case 'retry':
      return { kind: 'retry', message, ...retryAfter, ...fault }
    case 'rate_limited':
      return { kind: 'rate_limited', message, ...retryAfter, ...fault }
    case 'config':
      return { kind: 'config', message, ...fault }
    case 'suppress':
      return { kind: 'permanent', message, suppress: rule?.reason ?? 'invalid', ...fault }
    case 'permanent':
      return {
        kind: 'permanent',
        message:
          answer.status < 400 && answer.status >= 300 ? `${message}; redirects are not followed` : message,
        ...fault,
      }
  }
}

/** Judges a request without an answer: once it has left, the service may have acted on it. */
export function judgeFailure(error: unknown, isRecipientsUrl = false): Outcome {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof Misconfigured)
    return { kind: 'config', message, ...(error.fault && { fault: error.fault }) }
  if (!(error instanceof HttpFailure))
    return { kind: 'permanent', message: `The request cannot be made: ${message}` }
  if (error.stage === 'uncertain') return { kind: 'uncertain', message }
  // A recipient's own URL that the guard refuses says nothing about the provider.
  if (error.stage === 'refused' && isRecipientsUrl) return { kind: 'permanent', message, fault: 'recipient' }
  if (error.stage === 'unsent') return { kind: 'retry', message, ...(error.isOwn && { fault: 'process' }) }
  // A certificate that is not valid is the service's for everybody; an address that the guard refuses is in our settings.
  return { kind: 'config', message, ...(error.stage === 'tls' && { fault: 'provider' }) }
}

/** A value in a JSON answer, by its path; undefined when the answer is not JSON or has no such value. */
export function jsonIn(answer: HttpAnswer, ...path: (string | number)[]): string | undefined {
  try {
    const value = path.reduce<unknown>(
      (at, key) => (at as Record<string, unknown> | null)?.[key],
      JSON.parse(answer.body),
    )
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
  } catch {
    return undefined
  }
}

/** As if the service had put the wait into the header, where it is read and limited. */
function withRetryAfterHeader(answer: HttpAnswer, seconds: number | undefined): HttpAnswer {
  if (seconds === undefined || !(seconds >= 0)) return answer
  return { ...answer, headers: { ...answer.headers, 'retry-after': String(Math.ceil(seconds)) } }
}

function matches(rule: ErrorRule, answer: HttpAnswer): boolean {
  const statuses = rule.status === undefined ? undefined : [rule.status].flat()
  return (
    (statuses?.includes(answer.status) ?? true) &&
    (rule.body?.test(answer.body) ?? true) &&
    (rule.header?.value.test(answer.headers[rule.header.name] ?? '') ?? true)
  )
}

function meaningOfStatus(status: number): ErrorClass {
  if (status < 300) return 'sent'
  if (status === 401 || status === 403) return 'config'
  if (status === 429) return 'rate_limited'
  return status === 408 || status >= 500 ? 'retry' : 'permanent'
}

function describeAnswer({ status, headers, body }: HttpAnswer): string {
  const target = headers.location === undefined ? '' : ` to ${headers.location}`
  const excerpt = cut(body, 500).trim()
  return `HTTP ${status}${target}${excerpt && `: ${excerpt}`}`
}

/** Every string in the secrets, at any depth: an answer may echo one, and must not be stored with it. */
function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}
