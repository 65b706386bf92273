/** One span per request that is sent within another one; the receiver gets its traceparent and can continue the trace. */
import { activeSpan } from '../tracing/active-span.ts'
import { traceIdOf } from '../tracing/traceparent.ts'
import type { OpenSpan } from '../tracing/tracing.ts'
import { type HttpClient, HttpFailure, type HttpRequest } from './http-client.ts'

export function traceCalls(client: HttpClient): HttpClient {
  return {
    send(request, options) {
      const caller = activeSpan()
      if (caller === undefined) return client.send(request, options)
      return caller.child(
        request.method,
        { kind: 'client', attributes: attributesOf(request) },
        async span => {
          const answer = await client.send(continuing(span, request), options).catch(error => {
            if (error instanceof HttpFailure) span.fail(error.stage)
            throw error
          })
          span.set({ 'http.response.status_code': answer.status })
          if (answer.status >= 400) span.fail(String(answer.status))
          return answer
        },
      )
    },
    close: () => client.close(),
  }
}

/** Neither path nor query: services want their tokens there. */
function attributesOf({ method, url }: HttpRequest): Record<string, string | number> {
  if (!URL.canParse(String(url))) return { 'http.request.method': method }
  const { protocol, hostname, port } = new URL(url)
  return {
    'http.request.method': method,
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
  }
}

/** A traceparent of another trace is somebody's own choice, such as a script's, and stays. */
function continuing({ traceparent, traceId }: OpenSpan, request: HttpRequest): HttpRequest {
  const { headers = {} } = request
  const given = Object.keys(headers).find(name => name.toLowerCase() === 'traceparent') ?? 'traceparent'
  const isOther = headers[given] !== undefined && traceIdOf(headers[given]) !== traceId
  return isOther ? request : { ...request, headers: { ...headers, [given]: traceparent } }
}
