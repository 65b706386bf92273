/** Limits over HTTP: counts every request against its caller's limit, and serves POST /v1/limits/check. */
import { LimitAnswer, LimitCheck } from '@carillon/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../../platform/calls/principal.ts'
import { setLimitHeaders } from '../../platform/http/rate-limit-headers.ts'
import type { App } from '../../platform/http/server.ts'
import { type LimitedCaller, type Limiter, limitedCaller, overLimit, storageFull } from './limiter.ts'
import type { TryCounter } from './tries.ts'

/** Without a limit it returns at once: the busiest path must not even wait for a promise. */
export function createRequestLimit(limiter: Limiter) {
  return (principal: Principal, reply: FastifyReply): Promise<void> | undefined => {
    if (principal.quota.is_storage_full) refuseGrowth(reply.request)
    const own = limiter.takeRequest(limitedCaller(principal))
    const whole = limiter.takeRequest(wholeTenant(principal))
    if (own === undefined && whole === undefined) return undefined
    return Promise.all([own, whole]).then(allowances => {
      for (const allowance of allowances) if (allowance !== undefined) setLimitHeaders(reply, allowance)
      for (const allowance of allowances)
        if (allowance?.granted === 0) throw overLimit(allowance, 'requests per minute')
    })
  }
}

/** For calls without a key, which concern a tenant all the same: they count against what its operator allows it. */
export function createTenantLimit(limiter: Limiter) {
  return async (tenant: Pick<Principal, 'tenant_id' | 'quota'>): Promise<void> => {
    if (tenant.quota.is_storage_full) throw storageFull()
    const allowance = await limiter.takeRequest(wholeTenant(tenant))
    if (allowance?.granted === 0) throw overLimit(allowance, 'requests per minute')
  }
}

/** Counts all keys and users of a tenant together, so that making more of them gains nothing. */
function wholeTenant({ tenant_id, quota }: Pick<Principal, 'tenant_id' | 'quota'>): LimitedCaller {
  const { requests_per_minute } = quota
  return { tenant_id, user_id: null, api_key_id: null, requests_per_minute, notifications_per_day: null }
}

/** A full tenant can still look, delete, and do what makes room. */
function refuseGrowth({ method, routeOptions }: FastifyRequest): void {
  if (['GET', 'HEAD', 'DELETE'].includes(method) || routeOptions.config.whenFull === true) return
  throw storageFull()
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
