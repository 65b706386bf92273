/** One span per request, named by its route: it continues the trace of the caller's traceparent. Probes have none. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { validTraceparent } from '../tracing/traceparent.ts'
import type { OpenSpan, Tracing } from '../tracing/tracing.ts'

/** Call it before other hooks are added, so that these run inside the span. */
export function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  const spans = new WeakMap<FastifyRequest, OpenSpan>()

  app.addHook('onRequest', (request, _reply, done) => {
    if (request.routeOptions.config?.isProbe === true) return done()
    const span = begin(request)
    spans.set(request, span)
    span.run(done)
  })
  // Reading the body leaves the span, since its bytes arrive at the connection and not at the request.
  app.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request)
    if (span === undefined) done()
    else span.run(done)
  })
  // As in tellServedRequests(): a stream may have no end.
  app.addHook('onSend', async (request, reply) => {
    if (request.routeOptions.config?.isStream === true && reply.statusCode === 200) end(request, reply)
  })
  app.addHook('onResponse', (request, reply, done) => {
    end(request, reply)
    done()
  })

  function begin(request: FastifyRequest): OpenSpan {
    const { method, headers, routeOptions } = request
    const route = request.is404 ? undefined : routeOptions.url
    return tracing.begin(route === undefined ? method : `${method} ${route}`, {
      kind: 'server',
      parent: validTraceparent(headers.traceparent),
      // Neither path nor query, which may contain ids, addresses and signed links.
      attributes: {
        'http.request.method': method,
        ...(route !== undefined && { 'http.route': route }),
        'url.scheme': request.protocol,
        'carillon.request_id': request.id,
      },
    })
  }

  function end(request: FastifyRequest, reply: FastifyReply): void {
    const span = spans.get(request)
    if (span === undefined) return
    spans.delete(request)
    const { principal } = request
    span.set({
      'http.response.status_code': reply.statusCode,
      ...(principal && { 'carillon.tenant_id': principal.tenant_id }),
    })
    if (reply.statusCode >= 500) span.fail(String(reply.statusCode))
    span.end()
  }
}
