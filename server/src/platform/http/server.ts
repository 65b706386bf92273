/** The HTTP server: bodies, schemas, keys and scopes, problems, documentation. Rooms only add routes. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type FieldError, Problem, type Scope, TENANT_HEADER } from '@carillon/contract'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type RawServerDefault,
} from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { type ZodType, z } from 'zod'
import { fieldErrors } from '../calls/field-errors.ts'
import { isPermitted, type Principal } from '../calls/principal.ts'
import { Refusal } from '../calls/refusal.ts'
import type { ServedRequest } from '../calls/served-request.ts'
import type { SignedIn } from '../calls/signed-in.ts'
import { unstorableField } from '../calls/unstorable-field.ts'
import type { Tracing } from '../tracing/tracing.ts'
import { createCheckedSerializer, createSerializer, refuseDifference, WrongAnswerError } from './answers.ts'
import { endConnectionsOnClose } from './closing.ts'
import { judgeOrigin, serveBrowsers } from './cors.ts'
import { documentRoutes } from './documentation.ts'
import { acceptJsonBodies } from './json-body.ts'
import { admitPeople, refuseElsewhere } from './people.ts'
import { answerWithProblems } from './problem.ts'
import { answerBrokenRequest, answerFrameworkError, answerProtocolErrors } from './protocol-errors.ts'
import { requestIdOf } from './request-id.ts'
import { type RequestLogLevel, tellServedRequests } from './served-requests.ts'
import { refuseForgery, sessionTokenOf, setSessionCookie } from './session-cookie.ts'
import { traceRequests } from './traced-requests.ts'

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal
    /** Whose session it is; undefined for keys and tokens. */
    signedIn: SignedIn | undefined
    isAudited: boolean
  }
  interface FastifyContextConfig {
    /**
     * The scope the caller's key must have; 'public' needs no key, 'session' needs a session, whatever its tenant and role.
     * The server does not start if a route states none.
     */
    scope?: Scope | 'public' | 'session'
    /** Why a route that changes something leaves no audit row. All others go through audited(). */
    unaudited?: string
    /** Its answer goes on for as long as the client stays; how long that is says nothing about the server. */
    isStream?: true
    /** Called every few seconds by machines. */
    isProbe?: boolean
    /** Works for a tenant whose storage is used up, because it adds nothing or makes room. */
    whenFull?: boolean
    /** The route itself decides how deeply its body may be nested. */
    judgesDepth?: true
  }
}

export interface HttpOptions {
  log: FastifyBaseLogger
  /** The level of the line that each request leaves; none by default. */
  requestLogLevel?: RequestLogLevel
  /** Without it, requests leave no traces. */
  tracing?: Tracing | undefined
  /** Called for every request that was answered. */
  onServed?: (served: ServedRequest) => void
  /** The principal of a key or token, or undefined when it is unknown. May refuse it, or the address itself. */
  authenticate: (key: string, address: string) => Promise<Principal | undefined>
  /** Whoever has the cookie of a session; without it, there are no sessions. */
  sessions?: SessionAuthenticator
  /** Whether people reach the API by https. */
  isPublicHttps?: boolean
  /** Whether any tenant lets pages of this origin call; none by default. */
  isKnownOrigin?: (origin: string) => Promise<boolean>
  /** Counts a request against the caller's limit, or refuses it. */
  admit?: (principal: Principal, reply: FastifyReply) => Promise<void> | undefined
  /** Proxies that may state the caller's address; none by default. */
  trustedProxies?: string[]
  /** Longest wait for a whole request; a slow one would hold its connection for ever. */
  requestTimeoutMs?: number | undefined
  /** Longest wait for answers in hand when the server closes. */
  closingMs?: number | undefined
  /** Tests refuse an answer that is not exactly its schema; the running server only leaves out what is not named there. */
  checkAnswers?: boolean
}

export interface SessionAuthenticator {
  /** Undefined when the session is unknown or over. */
  find(token: string): Promise<SignedIn | undefined>
  /** What it may do in the tenant; without one, in the tenant it looked at last. Undefined when it may do nothing any more. */
  principalOf(signedIn: SignedIn, tenantId: string | undefined): Promise<Principal | undefined>
}

/** Pages load nothing from other origins and may not be framed. The API reference has its scripts and styles inline. */
const CONTENT_POLICY = [
  "default-src 'self'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const REQUEST_TIMEOUT_MS = 30_000
const CLOSING_MS = 15_000

export async function createHttpServer(options: HttpOptions): Promise<App> {
  const { requestTimeoutMs = REQUEST_TIMEOUT_MS, closingMs = CLOSING_MS } = options
  const app = Fastify({
    loggerInstance: options.log,
    // The framework's own two lines per request contain the whole address; tellServedRequests() writes ours.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: requestIdOf,
    bodyLimit: 1024 * 1024,
    trustProxy: options.trustedProxies?.length ? options.trustedProxies : false,
    // A signed link contains a user's id, which may be long.
    routerOptions: { maxParamLength: 2000 },
    requestTimeout: requestTimeoutMs,
    http: {
      requestTimeout: requestTimeoutMs,
      // How often Node looks for requests that took too long.
      connectionsCheckingInterval: Math.ceil(requestTimeoutMs / 10),
      requireHostHeader: false,
    },
    return503OnClosing: false,
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (error, request, reply) => void answerFrameworkError(error, request, reply),
  }).withTypeProvider<ZodTypeProvider>()

  if (options.tracing !== undefined) traceRequests(app as unknown as FastifyInstance, options.tracing)
  acceptJsonBodies(app as unknown as FastifyInstance)
  answerProtocolErrors(app as unknown as FastifyInstance)
  endConnectionsOnClose(app as unknown as FastifyInstance, closingMs)
  answerWithProblems(app as unknown as FastifyInstance)
  app.setValidatorCompiler(
    ({ schema, httpPart }) =>
      data =>
        validate(schema as ZodType, data, httpPart ?? 'body'),
  )
  app.setSerializerCompiler(({ schema, method, url, httpStatus }) =>
    options.checkAnswers
      ? createCheckedSerializer(schema as ZodType, `${httpStatus} of ${method} ${url}`)
      : createSerializer(schema as ZodType),
  )

  app.addHook('onRoute', route => {
    if (route.schema?.hide === true) return
    const missing = route.config?.scope === undefined ? 'scope' : !route.schema?.response && 'answer'
    if (missing) throw new Error(`${route.method} ${route.url} states no ${missing}`)
  })
  const { log, requestLogLevel: logLevel = 'silent', onServed = () => {} } = options
  tellServedRequests(app as unknown as FastifyInstance, { log, logLevel, onServed })
  app.decorateRequest('isAudited', false)
  app.decorateRequest('signedIn', undefined)
  if (options.checkAnswers) {
    app.addHook('onSend', refuseUnaudited)
    app.addHook('onSend', refuseUnstated)
  }
  const { isKnownOrigin = async () => false } = options
  serveBrowsers(app as unknown as FastifyInstance, { isKnownOrigin })
  app.addHook('onRequest', async (request, reply) => {
    // Node remembers an address that it was asked for, and knows none once the caller has left.
    void request.ip
    const scope = scopeOf(request)
    if (scope === undefined) return
    request.signedIn = await findSession(request, reply, options)
    if (scope === 'session') return refuseSignedOut(request.signedIn)
    const principal = await identify(request, options)
    request.principal = principal
    judgeOrigin(reply, principal)
    // Before the scope: forbidden requests count against the limit too.
    await options.admit?.(principal, reply)
    if (principal.person === undefined) refuseWithout(scope, principal)
    else refuseElsewhere(request, principal)
  })
  admitPeople(app as unknown as FastifyInstance)
  app.addHook('onSend', async (request, reply) => {
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    // A page with a stricter policy sets its own header.
    if (!reply.hasHeader('content-security-policy')) reply.header('content-security-policy', CONTENT_POLICY)
    reply.header('referrer-policy', 'no-referrer')
    // Answers are somebody's own, and some show a secret for the only time.
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
  })

  await documentRoutes(app as unknown as FastifyInstance)
  return app
}

/** The scope that the caller needs; undefined where no key is needed. */
function scopeOf(request: FastifyRequest): Scope | 'session' | undefined {
  const scope = request.routeOptions.config?.scope
  return request.is404 || scope === 'public' ? undefined : scope
}

/** A key or token wins over the cookie, which a browser sends without being asked. */
async function findSession(
  request: FastifyRequest,
  reply: FastifyReply,
  { sessions, isPublicHttps = false }: HttpOptions,
): Promise<SignedIn | undefined> {
  const token = sessionTokenOf(request, { isPublicHttps })
  if (sessions === undefined || token === undefined || request.headers.authorization !== undefined)
    return undefined
  if (request.routeOptions.config.tokenInQuery && tokenInQuery(request) !== undefined) return undefined
  refuseForgery(request)
  const found = await sessions.find(token)
  if (found === undefined) throw sessionIsOver()
  if (found.isProlonged) setSessionCookie(reply, { token, expires_at: found.expires_at }, { isPublicHttps })
  return found
}

const sessionIsOver = () => new Refusal('unauthenticated', 'The session is over. Sign in again.')

function refuseSignedOut(signedIn: SignedIn | undefined): void {
  if (signedIn === undefined) throw new Refusal('unauthenticated', 'Nobody is signed in.')
}

async function identify(request: FastifyRequest, options: HttpOptions): Promise<Principal> {
  const { signedIn } = request
  if (signedIn === undefined) return identifyKey(request, options.authenticate)
  const principal = await options.sessions?.principalOf(signedIn, tenantOf(request))
  if (principal === undefined) throw sessionIsOver()
  return principal
}

/** The tenant that a request of a session names. */
export function tenantOf({ headers }: FastifyRequest): string | undefined {
  const named = headers[TENANT_HEADER]
  if (named === undefined) return undefined
  const parsed = z.uuid().safeParse(named)
  if (parsed.success) return parsed.data
  throw new Refusal('invalid_request', `${TENANT_HEADER}: Expected the id of a tenant.`, [
    { field: TENANT_HEADER, message: 'Expected the id of a tenant.' },
  ])
}

function tokenInQuery({ query }: FastifyRequest): string | undefined {
  const token = (query as { access_token?: unknown }).access_token
  return typeof token === 'string' && token !== '' ? token : undefined
}

async function identifyKey(
  request: FastifyRequest,
  authenticate: HttpOptions['authenticate'],
): Promise<Principal> {
  const key = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  const inQuery = request.routeOptions.config.tokenInQuery && key === undefined
  const shown = key ?? (inQuery ? tokenInQuery(request) : undefined)
  if (shown === undefined) {
    throw new Refusal('unauthenticated', 'Send the API key as "Authorization: Bearer <key>".')
  }
  const principal = await authenticate(shown, request.ip)
  // A key in an address would end up in logs and histories; a user token is of no use for long.
  if (principal === undefined || (key === undefined && principal.person === undefined)) {
    throw new Refusal('unauthenticated', 'The API key is unknown, revoked or expired.')
  }
  return principal
}

function refuseWithout(scope: Scope, principal: Principal): void {
  if (isPermitted(principal, scope)) return
  throw new Refusal('forbidden', `This needs the scope "${scope}", which the API key does not have.`)
}

/** Makes the tests of a new route fail when it forgets its audit row. */
async function refuseUnaudited(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const isChange = request.method !== 'GET' && request.method !== 'HEAD'
  const isExcused = request.isAudited || request.routeOptions.config.unaudited !== undefined
  if (!isChange || isExcused || reply.statusCode >= 300) return
  const route = `${request.method} ${request.routeOptions.url}`
  throw new Error(
    `${route} left no audit row: use audited(), or state in config.unaudited why none is needed`,
  )
}

/** What a serializer never sees: a status that the route does not state, and problems, which are sent as text. */
async function refuseUnstated(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<void> {
  const { schema, method, url } = request.routeOptions
  const answer = `${reply.statusCode} of ${method} ${url}`
  if (String(reply.getHeader('content-type')).startsWith('application/problem+json'))
    refuseDifference(Problem, JSON.parse(String(payload)), answer)
  else if (!request.is404 && !schema?.hide && !Object.hasOwn(schema?.response ?? {}, reply.statusCode))
    throw new WrongAnswerError(`${answer} is not among its answers`)
}

/** Bodies were looked through as text. */
function unstorable(data: unknown): FieldError[] {
  const field = unstorableField(data)
  return field === undefined ? [] : [{ field, message: 'It contains a character that cannot be stored.' }]
}

function validate(schema: ZodType, data: unknown, part: string): { value: unknown } | { error: Error } {
  const parsed = schema.safeParse(data ?? (part === 'body' ? {} : data))
  if (parsed.success && part === 'body') return { value: parsed.data }
  const errors = parsed.success ? unstorable(data) : fieldErrors(parsed.error, data, schema)
  if (parsed.success && errors.length === 0) return { value: parsed.data }
  const first = errors[0]
  return { error: new Refusal('invalid_request', `${first?.field}: ${first?.message}`, errors) }
}
