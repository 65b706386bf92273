/** /v1/scripts */
import { NewScript, PageOf, Script, ScriptChanges, ScriptQuery, ScriptSummary } from '@carillon/contract'
import { z } from 'zod'
import { audited } from '../../oversight/audit-logs/audit-logs.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { decodeCursor, toPage } from '../../platform/http/page.ts'
import type { App } from '../../platform/http/server.ts'
import type { Sandbox } from '../../platform/sandbox/sandbox.ts'
import { refuseWrongSyntax } from './check-source.ts'
import { selectScripts } from './queries.ts'
import { changeScript, createScript, getScript, removeScript, toSummary } from './scripts.ts'
import { SCRIPT_TYPES } from './types.ts'

export const ScriptParams = z.object({ id: z.uuid() })
const tags = ['scripts']

export function scriptRoutes(app: App, pool: Pool, sandbox: Sandbox): void {
  app.get(
    '/v1/scripts',
    {
      config: { scope: 'scripts:read' },
      schema: {
        tags,
        summary: 'Scripts by name, without their source',
        querystring: ScriptQuery,
        response: { 200: PageOf(ScriptSummary) },
      },
    },
    async request => {
      const { limit, cursor, name } = request.query
      const page = { name, after: decodeCursor(cursor, ['text']), limit: limit + 1 }
      const rows = await selectScripts(pool, request.principal.tenant_id, page)
      return toPage(rows, limit, row => [row.name], toSummary)
    },
  )
  app.post(
    '/v1/scripts',
    {
      config: { scope: 'scripts:write' },
      schema: {
        tags,
        summary: 'Save a script as its first version',
        body: NewScript,
        response: { 201: Script },
      },
    },
    async (request, reply) => {
      const { principal, body } = request
      await refuseWrongSyntax(sandbox, principal.tenant_id, body)
      const script = await audited(pool, request, { type: 'script' }, tx => createScript(tx, principal, body))
      return reply.status(201).send(script)
    },
  )
  app.get(
    '/v1/scripts/types',
    {
      config: { scope: 'scripts:read' },
      schema: {
        tags,
        summary: 'TypeScript declarations of what scripts can use, for editors',
        response: { 200: { description: 'A .d.ts file', content: { 'text/plain': { schema: z.string() } } } },
      },
    },
    async (_request, reply) =>
      reply
        .type('text/plain; charset=utf-8')
        .header('content-disposition', 'inline; filename="carillon-scripts.d.ts"')
        .send(SCRIPT_TYPES),
  )
  app.get(
    '/v1/scripts/:id',
    {
      config: { scope: 'scripts:read' },
      schema: {
        tags,
        summary: 'One script with the source that runs',
        params: ScriptParams,
        response: { 200: Script },
      },
    },
    async request => getScript(pool, request.principal.tenant_id, request.params.id),
  )
  app.patch(
    '/v1/scripts/:id',
    {
      config: { scope: 'scripts:write' },
      schema: {
        tags,
        summary: 'Change a script; another source becomes a new version, which runs from now on',
        params: ScriptParams,
        body: ScriptChanges,
        response: { 200: Script },
      },
    },
    async request => {
      const { principal, body } = request
      const { id } = request.params
      const before = (tx: Client) => getScript(tx, principal.tenant_id, id)
      if (body.source !== undefined)
        await refuseWrongSyntax(sandbox, principal.tenant_id, { name: body.name, source: body.source })
      return audited(pool, request, { type: 'script', id, before }, tx =>
        changeScript(tx, principal, id, body),
      )
    },
  )
  app.delete(
    '/v1/scripts/:id',
    {
      config: { scope: 'scripts:write' },
      schema: {
        tags,
        summary: 'Remove a script that no trigger runs; its past runs stay',
        params: ScriptParams,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      await audited(pool, request, { type: 'script', id, action: 'delete' }, tx =>
        removeScript(tx, request.principal.tenant_id, id),
      )
      return reply.status(204).send(null)
    },
  )
}
