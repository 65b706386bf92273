/** POST /v1/scripts/{id}/invoke, GET /v1/abandoned-executions */
import {
  AbandonedExecution,
  AbandonedExecutionQuery,
  InvocationAccepted,
  InvocationResult,
  InvokeScript,
  MAX_EVENT_BYTES,
  PageOf,
} from '@carillon/contract'
import { z } from 'zod'
import { refuseUnusableJson } from '../../platform/calls/json-field.ts'
import { notFound } from '../../platform/calls/refusal.ts'
import { callerOf } from '../../platform/http/caller.ts'
import { decodeCursor, toPage } from '../../platform/http/page.ts'
import type { App } from '../../platform/http/server.ts'
import { memberText } from '../../platform/text/json-spans.ts'
import { getRunnable } from '../scripts/scripts.ts'
import { type InvocationParts, invokeAndWait, invokeLater, toAbandoned } from './invocations.ts'
import { selectAbandoned } from './queries.ts'

const tags = ['scripts']

export function invocationRoutes(app: App, parts: InvocationParts): void {
  app.post(
    '/v1/scripts/:id/invoke',
    {
      config: { scope: 'scripts:invoke', unaudited: 'each execution is stored as a run' },
      schema: {
        tags,
        summary: 'Run a script; its result is the answer, or, with mode async, only its id',
        params: z.object({ id: z.uuid() }),
        body: InvokeScript,
        response: { 200: InvocationResult, 202: InvocationAccepted },
      },
    },
    async (request, reply) => {
      const { principal, params, body } = request
      const found = await getRunnable(parts.pool, principal.tenant_id, params.id)
      if (found === undefined) throw notFound(`script ${params.id}`)
      const script = { id: params.id, tenant_id: principal.tenant_id, timeout_ms: found.limits.timeout_ms }
      const input = body.input === undefined ? 'null' : memberText(request.rawBody, 'input')
      refuseUnusableJson('input', input, MAX_EVENT_BYTES)
      if (body.mode === 'async')
        return reply.status(202).send(await invokeLater(parts, script, principal, input))
      return invokeAndWait(parts, script, principal, input, callerOf(reply))
    },
  )
  app.get(
    '/v1/abandoned-executions',
    {
      config: { scope: 'scripts:read' },
      schema: {
        tags,
        summary: 'Results that came after their caller had left, newest first',
        querystring: AbandonedExecutionQuery,
        response: { 200: PageOf(AbandonedExecution) },
      },
    },
    async request => {
      const { limit, cursor } = request.query
      const after = decodeCursor(cursor, ['time', 'uuid'])
      const rows = await selectAbandoned(parts.pool, request.principal.tenant_id, { after, limit: limit + 1 })
      return toPage(rows, limit, row => [row.created_at.toISOString(), row.id], toAbandoned)
    },
  )
}
