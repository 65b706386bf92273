/** What is told about every request once it has been answered: one log line, and the figures for the metrics. */
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ServedRequest } from '../calls/served-request.ts'

export type RequestLogLevel = 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

export interface Listeners {
  log: FastifyBaseLogger
  /** `silent` writes no lines. */
  logLevel: RequestLogLevel
  onServed: (served: ServedRequest) => void
}

export function tellServedRequests(app: FastifyInstance, { log, logLevel, onServed }: Listeners): void {
  // Machines probe every few seconds; that they did is worth a line only to somebody who looks for it.
  const probeLevel = logLevel === 'trace' || logLevel === 'silent' ? logLevel : 'debug'
  const isStreaming = ({ routeOptions }: FastifyRequest, { statusCode }: FastifyReply) =>
    routeOptions.config.isStream === true && statusCode === 200
  // A stream is told about when it begins: a client that leaves one lets it have no end.
  app.addHook('onSend', async (request, reply) => {
    if (isStreaming(request, reply)) tell(request, reply)
  })
  app.addHook('onResponse', (request, reply, done) => {
    if (!isStreaming(request, reply)) tell(request, reply)
    done()
  })

  function tell(request: FastifyRequest, reply: FastifyReply): void {
    const { config, url = '' } = request.routeOptions
    const served = {
      method: request.method,
      route: request.is404 ? '' : url,
      status: reply.statusCode,
      durationMs: reply.elapsedTime,
    }
    onServed(served)
    const level = config.isProbe === true && served.status < 500 ? probeLevel : logLevel
    log[level](lineOf(request, served), 'request')
  }
}

function lineOf(request: FastifyRequest, { method, route, status, durationMs }: ServedRequest): object {
  const { id, principal } = request
  return {
    request_id: id,
    method,
    route,
    status,
    duration_ms: Math.round(durationMs * 10) / 10,
    ...(principal && { tenant_id: principal.tenant_id, api_key_id: principal.api_key_id }),
    ...(principal?.person && { user_id: principal.person.user_id }),
    ...(principal?.session?.account && { account_id: principal.session.account.id }),
  }
}
