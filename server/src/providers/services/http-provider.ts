/**
 * Most services are one HTTP request: say how it looks and what its answers mean, as data, and this makes a provider
 * of it. Without a rule the status decides, as HTTP means it.
 */
import type { Channel } from '@carillon/contract'
import type { z } from 'zod'
import type { Message } from '../../content/messages/message.ts'
import { type HttpAnswer, HttpFailure, type HttpRequest } from '../../platform/outgoing/http-client.ts'
import { createRedactor, secretsInHeaders } from '../../platform/outgoing/redact.ts'
import { parseRetryAfter } from '../../platform/outgoing/retry-after.ts'
import { cut } from '../../platform/text/cut.ts'
import type { CallbackReader, ProviderKind, ProviderSettings } from './kind.ts'
import type { Outcome, SuppressionReason } from './provider.ts'

/** What an answer means: try again later, throttled, our settings are wrong, stop, or stop and suppress the address. */
export type ErrorClass = 'retry' | 'rate_limited' | 'config' | 'permanent' | 'suppress' | 'sent'

export interface ErrorRule {
  status?: number | number[]
  /** Found in the body. */
  body?: RegExp
  /** Found in this header, by its lower-case name: some services name the failure there. */
  header?: { name: string; value: RegExp }
  then: ErrorClass
  /** With `suppress`: why. */
  reason?: SuppressionReason
}

export interface HttpProviderDefinition<Config, Secrets> {
  name: string
  title: string
  channels: Channel[]
  config: z.ZodType<Config>
  secrets: z.ZodType<Secrets>
  request(message: Message, settings: ProviderSettings<Config, Secrets>): HttpRequest | Promise<HttpRequest>
  /** The service's own id of an accepted message. */
  messageId?(answer: HttpAnswer): string | undefined
  /** Some services answer 200 and put the failure into the body: the first rule that fits decides. */
  rules?: ErrorRule[]
  /** Seconds to wait, for services that say so in the body instead of a Retry-After header. */
  retryAfter?(answer: HttpAnswer): number | undefined
  /** Texts that must not be stored and are no secret of the settings, such as a webhook's URL in the address. */
  secretsOf?(message: Message, settings: ProviderSettings<Config, Secrets>): string[]
  /** For services that report back what became of a message. */
  callback?: CallbackReader<NoInfer<Config>, NoInfer<Secrets>>
}

/** Thrown by `request` when the settings are at fault and not the message. */
export class Misconfigured extends Error {}

export function defineHttpProvider<Config, Secrets>(
  definition: HttpProviderDefinition<Config, Secrets>,
): ProviderKind<Config, Secrets> {
  const { name, title, channels, config, secrets, callback } = definition
  return {
    name,
    title,
    channels,
    config,
    secrets,
    ...(callback && { callback }),
    create(settings) {
      return {
        name: settings.name,
        send: (message, signal) => attempt(definition, settings, message, signal),
        // The connections belong to the shared client.
        close: async () => {},
      }
    },
  }
}

async function attempt<Config, Secrets>(
  definition: HttpProviderDefinition<Config, Secrets>,
  settings: ProviderSettings<Config, Secrets>,
  message: Message,
  signal: AbortSignal,
): Promise<Outcome> {
  const secrets = [...stringsIn(settings.secrets), ...(definition.secretsOf?.(message, settings) ?? [])]
  try {
    const request = await definition.request(message, settings)
    // Basic authentication is the secret in another spelling.
    secrets.push(...secretsInHeaders({ authorization: request.headers?.authorization ?? '' }))
    const traced = { ...(message.traceparent && { traceparent: message.traceparent }), ...request.headers }
    const answer = await settings.http.send(
      { ...request, headers: traced },
      { signal, timeoutMs: settings.timeoutMs },
    )
    const { rules = [], messageId, retryAfter } = definition
    return withoutSecrets(judgeAnswer(withWait(answer, retryAfter), rules, messageId, settings.now), secrets)
  } catch (error) {
    return withoutSecrets(judgeFailure(error, URL.canParse(message.address)), secrets)
  }
}

/** What may be stored of an outcome: a service may echo in its answer what we sent it. */
export function withoutSecrets(outcome: Outcome, secrets: string[]): Outcome {
  const redact = createRedactor(secrets)
  return outcome.kind === 'sent'
    ? { ...outcome, response: redact(outcome.response ?? '') }
    : { ...outcome, message: redact(outcome.message) }
}

/** The first rule that fits, else the status. */
export function judgeAnswer(
  answer: HttpAnswer,
  rules: ErrorRule[],
  messageId: ((answer: HttpAnswer) => string | undefined) | undefined,
  now: () => number,
): Outcome {
  const rule = rules.find(candidate => fits(candidate, answer))
  const meaning = rule?.then ?? meaningOfStatus(answer.status)
  const message = describeAnswer(answer)
  const wait = parseRetryAfter(answer.headers['retry-after'], now)
  const retryAfter = wait === undefined ? {} : { retry_after_ms: wait }
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
      return { kind: 'retry', message, ...retryAfter }
    case 'rate_limited':
      return { kind: 'rate_limited', message, ...retryAfter }
    case 'config':
      return { kind: 'config', message }
    case 'suppress':
      return { kind: 'permanent', message, suppress: rule?.reason ?? 'invalid' }
    case 'permanent':
      return {
        kind: 'permanent',
        message:
          answer.status < 400 && answer.status >= 300 ? `${message}; redirects are not followed` : message,
      }
  }
}

/** No answer: once the request has left, the service may have acted on it. */
export function judgeFailure(error: unknown, isRecipientsUrl = false): Outcome {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof Misconfigured) return { kind: 'config', message }
  if (!(error instanceof HttpFailure))
    return { kind: 'permanent', message: `The request cannot be made: ${message}` }
  if (error.stage === 'uncertain') return { kind: 'uncertain', message }
  // A recipient's own URL that may not be called says nothing about the provider.
  if (error.stage === 'refused' && isRecipientsUrl) return { kind: 'permanent', message }
  if (error.stage !== 'unsent') return { kind: 'config', message }
  return { kind: 'retry', message, ...(error.isOwn && { is_own: true }) }
}

/** A value of a JSON answer by its path; undefined when the answer is none or has no such value. */
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

/** As if the service had put the wait into the header, where it is read and bounded. */
function withWait(
  answer: HttpAnswer,
  retryAfter: ((answer: HttpAnswer) => number | undefined) | undefined,
): HttpAnswer {
  const seconds = retryAfter?.(answer)
  if (seconds === undefined || !(seconds >= 0)) return answer
  return { ...answer, headers: { ...answer.headers, 'retry-after': String(Math.ceil(seconds)) } }
}

function fits(rule: ErrorRule, answer: HttpAnswer): boolean {
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

/** Every text inside the secrets, however deep, so that an answer echoing one is not stored with it. */
function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}
