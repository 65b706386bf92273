/** Limits over HTTP: counts every request against its caller's limit, and serves POST /v1/limits/check. */
import { LimitAnswer, LimitCheck } from '@carillon/contract'
import type { FastifyReply } from 'fastify'
import type { Principal } from '../../platform/calls/principal.ts'
import { setLimitHeaders } from '../../platform/http/rate-limit-headers.ts'
import type { App } from '../../platform/http/server.ts'
import { type Limiter, overLimit } from './limiter.ts'
import type { TryCounter } from './tries.ts'

/** Without a limit it returns at once: the busiest path must not even wait for a promise. */
export function createRequestLimit(limiter: Limiter) {
  return (principal: Principal, reply: FastifyReply): Promise<void> | undefined =>
    limiter.takeRequest(principal)?.then(allowance => {
      setLimitHeaders(reply, allowance)
      if (allowance.granted === 0) throw overLimit(allowance, 'requests per minute')
    })
}

export function limitRoutes(app: App, tries: TryCounter): void {
  app.post(
    '/v1/limits/check',
    {
      config: { scope: 'limits:write', unaudited: 'it counts and changes nothing else' },
      schema: {
        tags: ['limits'],
        summary: 'Check whether a key may be used once more; counts this use',
        body: LimitCheck,
        response: { 200: LimitAnswer },
      },
    },
    async request => tries.check(request.principal.tenant_id, request.body),
  )
}
