/** All routes of the HTTP API on one server. */
import scalar from '@scalar/fastify-api-reference'
import type { FastifyBaseLogger } from 'fastify'
import type { KeyDirectory } from './access/api-keys.ts'
import { accessRoutes } from './access/routes.ts'
import { callbackRoutes } from './callbacks/routes.ts'
import { capturedMessageRoutes } from './captured-messages/routes.ts'
import type { Pool } from './db/pool.ts'
import { deadLetterRoutes } from './dead-letters/routes.ts'
import { deviceRoutes } from './devices/routes.ts'
import { type App, createHttpServer } from './http/server.ts'
import type { Acceptor } from './intake/accept.ts'
import { intakeRoutes } from './intake/routes.ts'
import { preferencePageRoutes } from './preferences/page-routes.ts'
import { preferenceRoutes } from './preferences/routes.ts'
import type { ProviderDirectory } from './provider-configs/directory.ts'
import { providerRoutes } from './provider-configs/routes.ts'
import { recordRoutes } from './records/routes.ts'
import { routingRoutes } from './routing/routes.ts'
import type { Keyring } from './secrets/keyring.ts'
import { simulateIntent } from './simulation/simulation.ts'
import { suppressionRoutes } from './suppressions/routes.ts'
import { systemEventRoutes } from './system-events/routes.ts'
import { healthRoutes } from './telemetry/health-routes.ts'
import type { Metrics } from './telemetry/metrics.ts'

export interface ApiParts {
  pool: Pool
  log: FastifyBaseLogger
  keys: KeyDirectory
  acceptor: Acceptor
  metrics: Metrics
  keyring: Keyring
  directory: ProviderDirectory
  /** Under which people and services reach this API; '' when it is not public. */
  publicUrl: string
  /** Routes may have become due outside of intake. */
  onDue: () => void
  isServing: () => boolean
  checkAnswers?: boolean
}

export async function createApi(parts: ApiParts): Promise<App> {
  const app = await createHttpServer({
    log: parts.log,
    authenticate: key => parts.keys.authenticate(key),
    checkAnswers: parts.checkAnswers ?? false,
  })
  intakeRoutes(app, parts.pool, parts.acceptor, intent => simulateIntent(parts, intent))
  recordRoutes(app, parts.pool)
  deadLetterRoutes(app, parts.pool, parts.onDue)
  routingRoutes(app, parts.pool)
  accessRoutes(app, parts.pool, parts.keys)
  deviceRoutes(app, parts.pool)
  preferenceRoutes(app, parts)
  preferencePageRoutes(app, parts)
  providerRoutes(app, parts)
  suppressionRoutes(app, parts.pool)
  callbackRoutes(app, parts.pool, parts.directory, parts.publicUrl)
  capturedMessageRoutes(app, parts.pool)
  systemEventRoutes(app, parts.pool)
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
