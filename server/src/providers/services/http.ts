/** Any service with an HTTP API: the request is described by Liquid templates in the settings. */
import { HeaderValue } from '@carillon/contract'
import { z } from 'zod'
import type { Message } from '../../content/messages/message.ts'
import { createAddressGuard } from '../../platform/outgoing/address-guard.ts'
import { createHttpClient } from '../../platform/outgoing/http-client.ts'
import { secretsInHeaders, secretsInUrl } from '../../platform/outgoing/redact.ts'
import { traceCalls } from '../../platform/outgoing/traced-client.ts'
import { urlCredentials } from '../../platform/outgoing/url-credentials.ts'
import { genericCallback } from './generic-callback.ts'
import { writeHttpBody } from './http-body.ts'
import { defineHttpProvider, jsonIn, Misconfigured, withoutSecrets } from './http-provider.ts'
import { isTemplate, renderTemplate } from './http-template.ts'
import type { ProviderKind } from './kind.ts'
import type { Provider } from './provider.ts'
import { password } from './secret-text.ts'

const template = z.string().max(20_000).refine(isTemplate, { error: 'Expected a valid Liquid template.' })
/** What a template makes of a message is known only then; a text without one can be checked now. */
const headerTemplate = template.refine(
  text => text.includes('{') || HeaderValue(20_000).safeParse(text).success,
  'Expected printable ASCII.',
)
/** They belong to the connection; Host would reach another service behind the same address. */
const CONNECTION_HEADERS =
  /^(host|content-length|connection|transfer-encoding|upgrade|te|trailer|expect|keep-alive|proxy-.*)$/i
const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~\w-]+$/, 'Expected the name of a header.')
  .refine(name => !CONNECTION_HEADERS.test(name), 'This header is set by Carillon itself.')

const config = z.strictObject({
  url: template.min(1).describe('A template; values in it need | url_encode'),
  method: z
    .enum(['POST', 'PUT', 'PATCH', 'GET'])
    .default('POST')
    .describe('GET has no body, and is repeated if there is no answer'),
  headers: z.record(headerName, headerTemplate).default({}).describe('Their values are templates'),
  body: template.optional().describe('A template; the whole message as JSON unless set'),
})
const secrets = z.strictObject({
  headers: z
    .record(headerName, HeaderValue(4000))
    .default({})
    .describe('For credentials; their values are not templates'),
  signing_secret: password.min(16).max(200).optional().describe('Verifies reports to the callback URL'),
})

export const http: ProviderKind<z.infer<typeof config>, z.infer<typeof secrets>> = defineHttpProvider({
  name: 'http',
  title: 'HTTP',
  channels: ['email', 'sms', 'push', 'chat', 'webhook'],
  config,
  secrets,
  callback: genericCallback,
  // So that the token of `Bearer <token>` is also hidden on its own.
  secretsOf: (_message, { secrets }) => secretsInHeaders(secrets.headers),

  request(message, { config, secrets }) {
    const variables = { ...message, config }
    const fill = (setting: string, source: string) => renderTemplate(setting, source, variables)
    const headers = Object.entries(lowerCaseNames(config.headers)).map(([name, value]) => [
      name,
      fill(name, value),
    ])
    return {
      method: config.method,
      url: parseTarget(fill('url', config.url), config.url),
      headers: {
        ...(config.method !== 'GET' && { 'content-type': 'application/json' }),
        ...Object.fromEntries(headers),
        ...lowerCaseNames(secrets.headers),
        'idempotency-key': message.message_id,
      },
      ...(config.method !== 'GET' && {
        body: config.body === undefined ? writeBody(message) : fill('body', config.body),
      }),
    }
  },

  messageId: answer => jsonIn(answer, 'id'),
})

export interface HttpOptions {
  /** http or https; credentials in it are sent as Basic authentication. */
  url: string
  headers?: Record<string, string>
  /** For one whole attempt, including connecting. */
  timeout_ms: number
}

/**
 * The provider that the operator sets up in the environment. Throws when the URL is unusable, without repeating it. It
 * has its own HTTP client: the operator, unlike a tenant, may name any address.
 */
export function createHttpProvider({ url, headers = {}, timeout_ms }: HttpOptions): Provider {
  const target = parseHttpUrl(url)
  const credentials = { ...basicAuth(target), ...lowerCaseNames(headers) }
  const hidden = [...secretsInUrl(target), ...target.searchParams.values()]
  const guard = createAddressGuard(['0.0.0.0/0', '::/0'])
  const client = traceCalls(createHttpClient({ guard, connectTimeoutMs: timeout_ms }))
  const provider = http.create({
    name: 'http',
    config: config.parse({ url: withoutTemplate(withoutCredentials(target)) }),
    secrets: { headers: credentials },
    timeoutMs: timeout_ms,
    http: client,
    http2: client,
    callbackUrl: undefined,
    now: Date.now,
  })
  return {
    name: 'http',
    send: async (message, signal) => withoutSecrets(await provider.send(message, signal), hidden),
    close: () => client.close(),
  }
}

function writeBody(message: Message): string {
  try {
    return writeHttpBody(message)
  } catch {
    throw new Error('the payload cannot be written as JSON')
  }
}

function parseTarget(url: string, template: string): URL {
  if (URL.canParse(url)) return new URL(url)
  // The URL is not repeated: it may contain a token.
  const text = 'the template of url does not produce a URL'
  throw new Misconfigured(text, template.includes('{') ? 'message' : 'account')
}

function parseHttpUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : null
  if (parsed && ['http:', 'https:'].includes(parsed.protocol)) return parsed
  throw new Error('expected the provider url to begin with http:// or https://')
}

function basicAuth(url: URL): Record<string, string> {
  if (url.username === '' && url.password === '') return {}
  const { user, password } = urlCredentials(url)
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` }
}

function withoutCredentials(url: URL): URL {
  const bare = new URL(url)
  bare.username = ''
  bare.password = ''
  return bare
}

/** The operator's URL is not a template. An escaped brace means the same in a URL. */
function withoutTemplate(url: URL): string {
  return url.href.replaceAll('{', '%7B')
}

/** Header names are case-insensitive; in lower case, ours replace others instead of being sent beside them. */
function lowerCaseNames(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
