/**
 * /hooks/{token}: the addresses of http triggers, called by whoever knows them. The token is as good as a key, so nothing
 * else is asked for, and a wrong one tells nothing.
 */
import { HOOK_METHODS, type HookAccepted } from '@carillon/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { toAddress } from '../../oversight/audit-logs/audit-logs.ts'
import type { Limiter } from '../../oversight/limits/limiter.ts'
import { createTenantLimit } from '../../oversight/limits/routes.ts'
import { Refusal } from '../../platform/calls/refusal.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { callerOf } from '../../platform/http/caller.ts'
import { refuseCompressed } from '../../platform/http/json-body.ts'
import type { App } from '../../platform/http/server.ts'
import { findHook, findTrigger, fireTrigger, type Hook, type TriggerOfRun } from '../triggers/triggers.ts'
import { dataOf } from './hook-event.ts'
import { REPLY_POLICY, type Reply, toReply } from './script-reply.ts'

/**
 * Runs the script of a trigger with the data of an event (JSON text), and waits for it. The answer of a success has the
 * status 200 and the result as JSON; that of a failure is a problem with its own status, or a Refusal is thrown.
 */
export type SyncRunner = (trigger: TriggerOfRun, data: string, call: WaitingCall) => Promise<Reply>

export interface WaitingCall {
  /** Who caused the event. */
  origin: string
  /** Aborts when the caller leaves. */
  caller: AbortSignal
}

export interface HookParts {
  pool: Pool
  limiter: Limiter
  /** The outbox has a new row. */
  onDue: () => void
  runTrigger: SyncRunner
}

const MAX_BODY_BYTES = 256 * 1024

export function hookRoutes(app: App, { pool, limiter, onDue, runTrigger }: HookParts): void {
  const limitTenant = createTenantLimit(limiter)

  async function admit(request: FastifyRequest, reply: FastifyReply, token: string): Promise<Hook> {
    const hook = await findHook(pool, token)
    if (hook === undefined) throw unknownAddress()
    if (hook.is_suspended)
      throw new Refusal('tenant_suspended', 'The operator of this instance has suspended the tenant.')
    const { tenant_id, is_storage_full, quota_requests_per_minute: requests_per_minute } = hook
    await limitTenant({ tenant_id, quota: { requests_per_minute, is_storage_full } })
    if (hook.methods.includes(request.method)) return hook
    const allowed = hook.methods.join(', ')
    reply.header('allow', allowed)
    throw new Refusal('method_not_allowed', `This address takes ${allowed}, not ${request.method}.`)
  }

  async function enqueue({ tenant_id, trigger_id: id }: Hook, data: string, origin: string) {
    const execution_id = await fireTrigger(pool, { tenant_id, id }, 'request', data, { origin })
    if (execution_id === undefined) throw unknownAddress()
    onDue()
    return { accepted_at: new Date().toISOString(), execution_id } satisfies HookAccepted
  }

  async function run({ tenant_id, trigger_id }: Hook, data: string, call: WaitingCall): Promise<Reply> {
    const trigger = await findTrigger(pool, tenant_id, trigger_id)
    if (trigger === undefined) throw unknownAddress()
    const answer = await runTrigger(trigger, data, call)
    return answer.status === 200 ? toReply(answer.body) : answer
  }

  void app.register(async plain => {
    const scope = plain as unknown as App
    // Whatever a service sends.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => body)
    scope.addHook('onRequest', async (_request, reply) => {
      reply.header('content-security-policy', REPLY_POLICY)
    })

    scope.route({
      method: [...HOOK_METHODS],
      url: '/hooks/:token',
      bodyLimit: MAX_BODY_BYTES,
      config: {
        scope: 'public',
        unaudited:
          'called by whoever knows the address; an event comes in, and nobody with a key changes anything',
      },
      schema: { hide: true, summary: 'Run an http trigger', params: z.object({ token: z.string() }) },
      async handler(request, reply) {
        const hook = await admit(request, reply, request.params.token)
        refuseCompressed(request.headers['content-encoding'])
        const { method, query, headers } = request
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
        const data = dataOf({ method, query, headers, body })
        const origin = `ip:${toAddress(request.ip) ?? ''}`
        if (hook.dispatch_mode === 'async') return reply.status(202).send(await enqueue(hook, data, origin))
        const answer = await run(hook, data, { origin, caller: callerOf(reply) })
        return reply.status(answer.status).headers(answer.headers).send(answer.body)
      },
    })
  })
}

/** The same for one that never was, was replaced, or is disabled. */
function unknownAddress(): Refusal {
  return new Refusal('not_found', 'There is nothing at this address.')
}
