/** /healthz, /readyz and /metrics on a port of their own: in every process without the API, and where one is set. */
import { healthRoutes } from '../operations/telemetry/health-routes.ts'
import type { Config } from '../platform/config/config.ts'
import { type App, createHttpServer } from '../platform/http/server.ts'
import type { Shared } from './shared.ts'

const USUAL_PORT = 8421

export interface HealthServer {
  url: string
  /** From now on the process is not ready: it still answers, so that one sees why. */
  announceStop(): void
  close(): Promise<void>
}

export async function startHealth(shared: Shared): Promise<HealthServer> {
  const { config, log, metrics, pool } = shared
  let isServing = true
  const app = await createHttpServer({
    log,
    requestLogLevel: config.CARILLON_REQUEST_LOG_LEVEL,
    onServed: metrics.served,
    authenticate: async () => undefined,
  })
  healthRoutes(app, metrics, { pool, isServing: () => isServing })
  return {
    url: await listen(app, config),
    announceStop() {
      isServing = false
    },
    close: () => app.close(),
  }
}

/** A port that was asked for must be had. The usual one is given up to another worker on the same machine. */
async function listen(app: App, { HOST: host, CARILLON_HEALTH_PORT: port }: Config): Promise<string> {
  try {
    return await app.listen({ host, port: port ?? USUAL_PORT })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    if (port === undefined) return app.listen({ host, port: 0 })
    throw new Error(
      `Port ${port} on ${host} is in use. Stop the program that uses it, or set CARILLON_HEALTH_PORT to another port.`,
    )
  }
}
