/** Limits at the edge: every request against its caller's limit, and POST /v1/limits/check. */
import { LimitAnswer, LimitCheck } from '@carillon/contract'
import type { FastifyReply } from 'fastify'
import type { Principal } from '../../platform/calls/principal.ts'
import { tellLimit } from '../../platform/http/rate-limit-headers.ts'
import type { App } from '../../platform/http/server.ts'
import { type Limiter, overLimit } from './limiter.ts'
import type { TryCounter } from './tries.ts'

/** Without a limit it answers at once: the busiest path must not even wait for a promise. */
export function createAdmission(limiter: Limiter) {
  return (principal: Principal, reply: FastifyReply): Promise<void> | undefined =>
    limiter.takeRequest(principal)?.then(allowance => {
      tellLimit(reply, allowance)
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
        summary: 'May this be tried once more? Counts the try',
        body: LimitCheck,
        response: { 200: LimitAnswer },
      },
    },
    async request => tries.check(request.principal.tenant_id, request.body),
  )
}
