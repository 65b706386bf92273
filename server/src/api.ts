/** All routes of the HTTP API on one server. */
import scalar from '@scalar/fastify-api-reference'
import type { FastifyBaseLogger } from 'fastify'
import { apiKeyRoutes } from './access/api-key-routes.ts'
import type { KeyDirectory } from './access/api-keys.ts'
import { accessRoutes } from './access/routes.ts'
import { auditLogRoutes } from './audit-logs/routes.ts'
import { brandingRoutes } from './branding/routes.ts'
import { callbackRoutes } from './callbacks/routes.ts'
import { capturedMessageRoutes } from './captured-messages/routes.ts'
import type { Pool } from './db/pool.ts'
import { deadLetterRoutes } from './dead-letters/routes.ts'
import { deviceRoutes } from './devices/routes.ts'
import { type App, createHttpServer } from './http/server.ts'
import type { Acceptor } from './intake/accept.ts'
import { intakeRoutes } from './intake/routes.ts'
import type { Limits } from './limits/limits.ts'
import { createAdmission, limitRoutes } from './limits/routes.ts'
import { metricRoutes } from './metrics/routes.ts'
import type { AddressGuard } from './outgoing/address-guard.ts'
import type { HttpClient } from './outgoing/http-client.ts'
import { withLabels } from './preferences/link-labels.ts'
import { createSampleLinks } from './preferences/mail-links.ts'
import { preferencePageRoutes } from './preferences/page-routes.ts'
import { preferenceRoutes } from './preferences/routes.ts'
import type { ProviderDirectory } from './provider-configs/directory.ts'
import { providerRoutes } from './provider-configs/routes.ts'
import { recordRoutes } from './records/routes.ts'
import { routingRoutes } from './routing/routes.ts'
import { scheduleRoutes } from './schedules/routes.ts'
import type { Keyring } from './secrets/keyring.ts'
import { simulateIntent } from './simulation/simulation.ts'
import { suppressionRoutes } from './suppressions/routes.ts'
import { systemEventRoutes } from './system-events/routes.ts'
import { healthRoutes } from './telemetry/health-routes.ts'
import type { Metrics } from './telemetry/metrics.ts'
import { templatePartRoutes } from './template-parts/routes.ts'
import { createTemplateDirectory } from './templates/directory.ts'
import { templateRoutes } from './templates/routes.ts'
import { templateVersionRoutes } from './templates/version-routes.ts'
import { translationRoutes } from './translations/routes.ts'
import { webhookDeliveryRoutes } from './webhook-deliveries/routes.ts'
import { webhookRecoveryRoutes } from './webhook-recoveries/routes.ts'
import { createEndpointDirectory } from './webhooks/endpoints.ts'
import { webhookRoutes } from './webhooks/routes.ts'

export interface ApiParts {
  pool: Pool
  log: FastifyBaseLogger
  keys: KeyDirectory
  acceptor: Acceptor
  limits: Limits
  metrics: Metrics
  keyring: Keyring
  directory: ProviderDirectory
  /** How test events of webhooks go out. */
  outgoing: { guard: AddressGuard; http: HttpClient }
  /** Under which people and services reach this API; '' when it is not public. */
  publicUrl: string
  /** Routes or webhooks may have become due outside of intake. */
  onDue: () => void
  isServing: () => boolean
  trustedProxies?: string[]
  checkAnswers?: boolean
}

export async function createApi(parts: ApiParts): Promise<App> {
  const app = await createHttpServer({
    log: parts.log,
    authenticate: key => parts.keys.authenticate(key),
    admit: createAdmission(parts.limits.limiter),
    trustedProxies: parts.trustedProxies ?? [],
    checkAnswers: parts.checkAnswers ?? false,
  })
  const { words, translateFor } = createTemplateDirectory({ pool: parts.pool })
  const links = withLabels(createSampleLinks(parts.publicUrl), translateFor)
  intakeRoutes(app, parts.pool, parts.acceptor, {
    simulate: intent => simulateIntent({ ...parts, words, links }, intent),
    limiter: parts.limits.limiter,
  })
  recordRoutes(app, parts.pool)
  deadLetterRoutes(app, parts.pool, parts.onDue)
  routingRoutes(app, parts.pool)
  scheduleRoutes(app, parts.pool)
  accessRoutes(app, parts.pool)
  apiKeyRoutes(app, parts.pool, parts.keys)
  deviceRoutes(app, parts.pool)
  preferenceRoutes(app, parts)
  preferencePageRoutes(app, parts)
  providerRoutes(app, parts)
  suppressionRoutes(app, parts.pool)
  templateRoutes(app, parts.pool, parts.publicUrl)
  templateVersionRoutes(app, parts.pool)
  templatePartRoutes(app, parts.pool)
  brandingRoutes(app, parts.pool)
  translationRoutes(app, parts.pool)
  callbackRoutes(app, parts.pool, parts.directory, parts.publicUrl)
  webhookRoutes(app, parts.pool, { keyring: parts.keyring, guard: parts.outgoing.guard }, parts.onDue)
  // Without a memory: whoever changes a webhook tests it the next moment.
  const endpoints = createEndpointDirectory({ ...parts, rememberMs: 0 })
  webhookDeliveryRoutes(app, { ...parts, http: parts.outgoing.http, endpoints })
  webhookRecoveryRoutes(app, parts.pool, parts.onDue)
  capturedMessageRoutes(app, parts.pool, parts.keyring)
  systemEventRoutes(app, parts.pool)
  auditLogRoutes(app, parts.pool)
  limitRoutes(app, parts.limits.tries)
  metricRoutes(app, parts.pool)
  healthRoutes(app, parts.metrics, { pool: parts.pool, isServing: parts.isServing })
  app.get('/openapi.json', { config: { scope: 'public' }, schema: { hide: true } }, async () => app.swagger())
  await app.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      title: 'Carillon API',
      url: '/openapi.json',
      // Nothing of the page may call home or invite people elsewhere.
      agent: { disabled: true },
      showDeveloperTools: 'never',
      hideClientButton: true,
      telemetry: false,
      withDefaultFonts: false,
    },
  })
  return app
}
