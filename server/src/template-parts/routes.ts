/** /v1/template-parts */
import { TemplatePart, TemplatePartInput, TemplatePartKind, TemplatePartName } from '@carillon/contract'
import { z } from 'zod'
import type { Pool } from '../db/pool.ts'
import type { App } from '../http/server.ts'
import { notFound } from '../refusal.ts'
import { deleteTemplatePart } from './queries.ts'
import { listTemplateParts, putTemplatePart } from './template-parts.ts'

const PartParams = z.object({ kind: TemplatePartKind, name: TemplatePartName })
const tags = ['template parts']

export function templatePartRoutes(app: App, pool: Pool): void {
  app.get(
    '/v1/template-parts',
    {
      config: { scope: 'templates:read' },
      schema: {
        tags,
        summary: 'Layouts and partials',
        response: { 200: z.object({ data: z.array(TemplatePart) }) },
      },
    },
    async request => ({ data: await listTemplateParts(pool, request.principal.tenant_id) }),
  )
  app.get(
    '/v1/template-parts/:kind/:name',
    {
      config: { scope: 'templates:read' },
      schema: { tags, summary: 'One of them', params: PartParams, response: { 200: TemplatePart } },
    },
    async request => {
      const { kind, name } = request.params
      const parts = await listTemplateParts(pool, request.principal.tenant_id)
      const part = parts.find(candidate => candidate.kind === kind && candidate.name === name)
      if (part === undefined) throw notFound(`${kind} "${name}"`)
      return part
    },
  )
  app.put(
    '/v1/template-parts/:kind/:name',
    {
      config: { scope: 'templates:write' },
      schema: {
        tags,
        summary: 'Save it; published templates follow when it is published',
        params: PartParams,
        body: TemplatePartInput,
        response: { 200: TemplatePart },
      },
    },
    async request =>
      putTemplatePart(pool, request.principal.tenant_id, { ...request.params, ...request.body }),
  )
  app.delete(
    '/v1/template-parts/:kind/:name',
    {
      config: { scope: 'templates:write' },
      schema: {
        tags,
        summary: 'Remove it; published templates keep their copy',
        params: PartParams,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { kind, name } = request.params
      if (!(await deleteTemplatePart(pool, request.principal.tenant_id, kind, name)))
        throw notFound(`${kind} "${name}"`)
      return reply.status(204).send(null)
    },
  )
}
