/** All routes of the HTTP API on one server. */
import type { Examination } from '@carillon/contract'
import type { FastifyBaseLogger } from 'fastify'
import { hookRoutes } from './automation/hooks/routes.ts'
import { inboundEmailRoutes } from './automation/inbound-emails/routes.ts'
import { invocationRoutes } from './automation/invocations/routes.ts'
import { createSyncRunner } from './automation/invocations/sync-runner.ts'
import type { ReplyWaiter } from './automation/invocations/waiting.ts'
import { kvRoutes } from './automation/kv/routes.ts'
import { queueRoutes } from './automation/queues/routes.ts'
import { runRoutes } from './automation/runs/routes.ts'
import { scriptRoutes } from './automation/scripts/routes.ts'
import { scriptTestRoutes } from './automation/scripts/test-routes.ts'
import { scriptVersionRoutes } from './automation/scripts/version-routes.ts'
import { triggerRoutes } from './automation/triggers/routes.ts'
import { brandingRoutes } from './content/branding/routes.ts'
import { withLabels } from './content/messages/link-labels.ts'
import { createSampleLinks } from './content/messages/mail-links.ts'
import { templatePartRoutes } from './content/template-parts/routes.ts'
import { createTemplateDirectory } from './content/templates/directory.ts'
import { templateRoutes } from './content/templates/routes.ts'
import { templateVersionRoutes } from './content/templates/version-routes.ts'
import { translationRoutes } from './content/translations/routes.ts'
import { callbackRoutes } from './delivery/callbacks/routes.ts'
import { emailLogRoutes } from './delivery/email-log/routes.ts'
import { listAttempts } from './delivery/routes/attempts.ts'
import { readdressRoute, replayRoutes } from './delivery/routes/replay.ts'
import { resumeRoutes } from './delivery/routes/resume.ts'
import { routeRoutes } from './delivery/routes/routes.ts'
import type { EventWriter } from './events/domain-events/append.ts'
import { domainEventRoutes } from './events/domain-events/routes.ts'
import { eventConsumerRoutes } from './events/event-consumers/routes.ts'
import { relationRoutes } from './events/fanout-rules/relation-routes.ts'
import { fanoutRuleRoutes } from './events/fanout-rules/routes.ts'
import { elementRoutes } from './inbox/element/routes.ts'
import type { LiveHub } from './inbox/live/hub.ts'
import { inboxStreamRoutes } from './inbox/live/routes.ts'
import { notificationSettingRoutes } from './inbox/notification-settings/routes.ts'
import { inboxActionRoutes } from './inbox/notifications/action-routes.ts'
import { notificationRoutes } from './inbox/notifications/announcement-routes.ts'
import { inboxRoutes } from './inbox/notifications/routes.ts'
import type { CountUnread } from './inbox/notifications/unread-cache.ts'
import { savedFilterRoutes } from './inbox/saved-filters/routes.ts'
import { subscriptionRoutes } from './inbox/subscriptions/routes.ts'
import { threadUnsubscribeRoutes } from './inbox/subscriptions/unsubscribe-routes.ts'
import { participantRoutes } from './inbox/threads/participant-routes.ts'
import { threadRoutes } from './inbox/threads/routes.ts'
import { topicMemberRoutes } from './inbox/topics/member-routes.ts'
import { topicRoutes } from './inbox/topics/routes.ts'
import { visibilityRoutes } from './inbox/visibility/routes.ts'
import { createVisibility } from './inbox/visibility/visibility.ts'
import type { Acceptor } from './intake/intents/accept.ts'
import { intakeRoutes } from './intake/intents/routes.ts'
import { scheduleRoutes } from './intake/schedules/routes.ts'
import { streamRoutes } from './intake/streams/routes.ts'
import { dashboardRoutes } from './operations/dashboard/routes.ts'
import { doctorRoutes } from './operations/doctor/routes.ts'
import { eventExplanationRoutes } from './operations/event-explanations/routes.ts'
import { landingPageRoutes } from './operations/landing-page/routes.ts'
import { metricRoutes } from './operations/metrics/routes.ts'
import { createOwnCaller } from './operations/playground/own-calls.ts'
import { playgroundRoutes } from './operations/playground/routes.ts'
import { recordRoutes } from './operations/records/routes.ts'
import { routeMessageRoutes } from './operations/route-messages/routes.ts'
import { searchRoutes } from './operations/search/routes.ts'
import { simulateEvent } from './operations/simulation/simulate-event.ts'
import { simulateIntent } from './operations/simulation/simulation.ts'
import { healthRoutes } from './operations/telemetry/health-routes.ts'
import type { Metrics } from './operations/telemetry/metrics.ts'
import { createPasswords } from './oversight/accounts/passwords.ts'
import { accountRoutes } from './oversight/accounts/routes.ts'
import { apiKeyRoutes } from './oversight/api-keys/routes.ts'
import type { GuardedKeys } from './oversight/api-keys/wrong-keys.ts'
import { auditLogRoutes } from './oversight/audit-logs/routes.ts'
import { invitationRoutes } from './oversight/invitations/routes.ts'
import type { Limits } from './oversight/limits/limits.ts'
import { createRequestLimit, limitRoutes } from './oversight/limits/routes.ts'
import { recordForAccount } from './oversight/members/members.ts'
import { memberRoutes } from './oversight/members/routes.ts'
import { sessionListRoutes } from './oversight/sessions/list-routes.ts'
import { createPasswordGuard } from './oversight/sessions/password-guard.ts'
import { sessionRoutes } from './oversight/sessions/routes.ts'
import { findSession, keepOnly, principalOfSession } from './oversight/sessions/sessions.ts'
import { systemEventRoutes } from './oversight/system-events/routes.ts'
import { operatorRoutes } from './oversight/tenants/operator-routes.ts'
import { tenantRoutes } from './oversight/tenants/routes.ts'
import type { TokenDirectory } from './oversight/user-tokens/directory.ts'
import { userTokenRoutes } from './oversight/user-tokens/routes.ts'
import { categoryRoutes } from './people/categories/routes.ts'
import { deviceRoutes } from './people/devices/routes.ts'
import { preferencePageRoutes } from './people/preference-page/routes.ts'
import { preferenceRoutes } from './people/preferences/routes.ts'
import { suppressionRoutes } from './people/suppressions/routes.ts'
import { userRoutes } from './people/users/routes.ts'
import { watchRoutes } from './people/watches/routes.ts'
import { notificationTypeRoutes } from './planning/notification-types/routes.ts'
import type { Role } from './platform/config/settings.ts'
import type { Executor, Pool } from './platform/database/pool.ts'
import { serveReference } from './platform/http/reference.ts'
import { type App, createHttpServer, type HttpOptions } from './platform/http/server.ts'
import type { AddressGuard } from './platform/outgoing/address-guard.ts'
import type { HttpClient } from './platform/outgoing/http-client.ts'
import type { Sandbox } from './platform/sandbox/sandbox.ts'
import type { Keyring } from './platform/secrets/keyring.ts'
import { capturedMessageRoutes } from './providers/captured-messages/routes.ts'
import { capturesBy } from './providers/provider-configs/captures.ts'
import type { ProviderDirectory } from './providers/provider-configs/directory.ts'
import { providerRoutes } from './providers/provider-configs/routes.ts'
import { webPushKey } from './providers/provider-configs/web-push-key.ts'
import { deadLetterRoutes } from './reactions/dead-letters/routes.ts'
import { makeTenantDue } from './reactions/outbox/wait.ts'
import type { OutputStreams } from './reactions/output-streams/output-streams.ts'
import { webhookDeliveryRoutes } from './reactions/webhook-deliveries/routes.ts'
import { webhookRecoveryRoutes } from './reactions/webhook-recoveries/routes.ts'
import { createEndpointDirectory } from './reactions/webhooks/endpoints.ts'
import { webhookRoutes } from './reactions/webhooks/routes.ts'

export interface ApiParts {
  pool: Pool
  log: FastifyBaseLogger
  keys: GuardedKeys
  acceptor: Acceptor
  events: EventWriter
  limits: Limits
  metrics: Metrics
  keyring: Keyring
  directory: ProviderDirectory
  /** Sends the test events of webhooks. */
  outgoing: { guard: AddressGuard; http: HttpClient; streams: OutputStreams }
  /** Checks and tests scripts. */
  sandbox: Sandbox
  /** Where people and services reach this API; '' when it is not public. */
  publicUrl: string
  /** Routes or webhooks may have become due outside of intake. */
  onDue: () => void
  /** Counts what is unread, perhaps from a cache. */
  countUnread?: CountUnread | undefined
  /** Inboxes of these people have changed; null: those of the whole tenant. */
  onInbox?: (tenantId: string, userIds: string[] | null) => void
  /** Where callers wait for the results of scripts. */
  replies: ReplyWaiter
  /** Who calls with user tokens, and who watches an inbox live. */
  tokens: TokenDirectory
  live: LiveHub
  isServing: () => boolean
  /** How the instance is. */
  examine: () => Promise<Examination>
  /** What this process does besides. */
  roles?: Role[]
  /** The level of the line that each request leaves in the log; none by default. */
  requestLogLevel?: HttpOptions['requestLogLevel']
  tracing?: HttpOptions['tracing']
  trustedProxies?: string[]
  /** Needed to read /metrics; '' lets everybody. */
  metricsKey?: string
  /** Whether there is a page to try things out on. */
  hasPlayground?: boolean
  requestTimeoutMs?: number | undefined
  closingMs?: number | undefined
  checkAnswers?: boolean
}

export async function createApi(parts: ApiParts): Promise<App> {
  const ownCaller = createOwnCaller()
  const isPublicHttps = parts.publicUrl.startsWith('https:')
  const app = await createHttpServer({
    log: parts.log,
    ...(parts.requestLogLevel && { requestLogLevel: parts.requestLogLevel }),
    onServed: served => parts.metrics.served(served),
    // A token that we signed is no guess, so it is not counted among wrong keys, whatever has become of it.
    authenticate: async (key, address) =>
      ownCaller.recognise(key) ??
      (await parts.tokens.authenticate(key)) ??
      parts.keys.authenticate(key, address),
    sessions: {
      find: token => findSession(parts.pool, token),
      principalOf: (signedIn, tenantId) => principalOfSession(parts.pool, signedIn, tenantId),
    },
    isPublicHttps,
    isKnownOrigin: parts.tokens.isKnownOrigin,
    tracing: parts.tracing,
    requestTimeoutMs: parts.requestTimeoutMs,
    closingMs: parts.closingMs,
    admit: createRequestLimit(parts.limits.limiter),
    trustedProxies: parts.trustedProxies ?? [],
    checkAnswers: parts.checkAnswers ?? false,
  })
  const { fillTemplate, layOut, translateFor } = createTemplateDirectory({ pool: parts.pool })
  const links = withLabels(createSampleLinks(parts.publicUrl), translateFor)
  const visibilityBy = (db: Executor) =>
    createVisibility({ keyring: parts.keyring, http: parts.outgoing.http, pool: db, rememberMs: 0 })
  const visibility = visibilityBy(parts.pool)
  const simulation = { ...parts, fillTemplate, layOut, links, visibility: visibilityBy }
  intakeRoutes(app, parts.pool, parts.acceptor, {
    simulate: intent => simulateIntent(simulation, intent),
    limiter: parts.limits.limiter,
  })
  domainEventRoutes(app, parts.pool, {
    writer: parts.events,
    simulate: event => simulateEvent(simulation, event),
  })
  eventExplanationRoutes(app, parts.pool, visibility)
  eventConsumerRoutes(app, parts.pool)
  recordRoutes(app, parts.pool)
  routeRoutes(app, parts.pool)
  routeMessageRoutes(app, { ...parts, fillTemplate, layOut, links })
  emailLogRoutes(app, parts.pool)
  deadLetterRoutes(app, {
    ...parts,
    routes: { replay: replayRoutes, readdress: readdressRoute, listAttempts },
  })
  notificationTypeRoutes(app, parts.pool)
  categoryRoutes(app, parts.pool)
  watchRoutes(app, parts.pool)
  inboxRoutes(app, parts.pool, parts.countUnread)
  inboxActionRoutes(app, parts)
  topicRoutes(app, parts.pool)
  topicMemberRoutes(app, parts.pool)
  threadRoutes(app, parts.pool)
  participantRoutes(app, parts.pool)
  subscriptionRoutes(app, parts.pool, visibility)
  inboxStreamRoutes(app, parts)
  notificationRoutes(app, parts)
  savedFilterRoutes(app, parts.pool)
  notificationSettingRoutes(app, parts.pool, tenantId => webPushKey(parts.pool, tenantId))
  visibilityRoutes(app, parts.pool, { keyring: parts.keyring, guard: parts.outgoing.guard })
  relationRoutes(app, parts.pool)
  fanoutRuleRoutes(app, parts.pool)
  scheduleRoutes(app, parts.pool)
  streamRoutes(app, parts.pool)
  invocationRoutes(app, parts)
  runRoutes(app, parts.pool)
  kvRoutes(app, parts.pool, parts.onDue)
  queueRoutes(app, parts.pool, parts.onDue)
  triggerRoutes(app, parts)
  scriptRoutes(app, parts.pool, parts.sandbox)
  scriptVersionRoutes(app, parts.pool)
  scriptTestRoutes(app, parts.pool, parts.sandbox)
  hookRoutes(app, { ...parts, limiter: parts.limits.limiter, runTrigger: createSyncRunner(parts) })
  inboundEmailRoutes(app, parts)
  tenantRoutes(app, parts.pool)
  operatorRoutes(app, parts.pool, async tenantId => {
    await resumeRoutes(parts.pool, tenantId)
    await makeTenantDue(parts.pool, tenantId)
    parts.onDue()
  })
  userRoutes(app, parts.pool)
  userTokenRoutes(app, parts)
  apiKeyRoutes(app, parts.pool, parts.keys)
  const passwords = createPasswords()
  const signingIn = { ...parts, isPublicHttps, passwords, guard: createPasswordGuard() }
  sessionRoutes(app, signingIn)
  sessionListRoutes(app, parts.pool)
  accountRoutes(app, { ...signingIn, keepOnly, recordForAccount })
  memberRoutes(app, parts.pool)
  invitationRoutes(app, signingIn)
  deviceRoutes(app, parts.pool)
  preferenceRoutes(app, parts)
  preferencePageRoutes(app, parts)
  threadUnsubscribeRoutes(app, parts)
  providerRoutes(app, parts)
  suppressionRoutes(app, parts.pool)
  templateRoutes(app, parts.pool, parts.publicUrl)
  templateVersionRoutes(app, parts.pool)
  templatePartRoutes(app, parts.pool)
  brandingRoutes(app, parts.pool)
  translationRoutes(app, parts.pool)
  callbackRoutes(app, parts.pool, parts.directory, parts.publicUrl)
  webhookRoutes(app, parts.pool, { keyring: parts.keyring, ...parts.outgoing }, parts.onDue)
  // Without a cache: people test a webhook the moment they have changed it.
  const endpoints = createEndpointDirectory({ ...parts, rememberMs: 0 })
  webhookDeliveryRoutes(app, { ...parts, ...parts.outgoing, endpoints })
  webhookRecoveryRoutes(app, parts.pool, parts.onDue)
  capturedMessageRoutes(app, parts.pool, parts.keyring)
  systemEventRoutes(app, parts.pool)
  auditLogRoutes(app, parts.pool)
  limitRoutes(app, parts.limits.tries)
  metricRoutes(app, parts.pool)
  searchRoutes(app, parts.pool)
  doctorRoutes(app, parts.examine)
  healthRoutes(app, parts.metrics, { ...parts, metricsKey: parts.metricsKey ?? '' })
  const { roles = ['api'], metricsKey = '', hasPlayground = false } = parts
  landingPageRoutes(app, { ...parts, roles, hasPlayground, isPrivate: metricsKey !== '' })
  if (hasPlayground)
    playgroundRoutes(app, {
      pool: parts.pool,
      keyring: parts.keyring,
      limiter: parts.limits.limiter,
      caller: ownCaller,
      countWrong: parts.keys.authenticate,
      isCaptured: capturesBy(parts.directory),
      isAsked: visibility.isAsked,
    })
  await serveReference(app)
  await elementRoutes(app)
  await dashboardRoutes(app)
  return app
}
