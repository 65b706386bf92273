/** /v1/template-parts */
import {
  TemplatePart,
  TemplatePartChanges,
  TemplatePartInput,
  TemplatePartKind,
  TemplatePartName,
} from '@carillon/contract'
import { z } from 'zod'
import { audited } from '../../oversight/audit-logs/audit-logs.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import type { App } from '../../platform/http/server.ts'
import {
  changeTemplatePart,
  findTemplatePart,
  listTemplateParts,
  noPart,
  type PartKey,
  putTemplatePart,
  removeTemplatePart,
} from './template-parts.ts'

const PartParams = z.object({ kind: TemplatePartKind, name: TemplatePartName })
const tags = ['template parts']

const auditSubject = ({ kind, name }: PartKey) => ({ type: 'template_part', id: `${kind}:${name}` })

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
      schema: { tags, summary: 'A layout or partial', params: PartParams, response: { 200: TemplatePart } },
    },
    async request => {
      const part = await findTemplatePart(pool, request.principal.tenant_id, request.params)
      if (part === undefined) throw noPart(request.params)
      return part
    },
  )
  app.put(
    '/v1/template-parts/:kind/:name',
    {
      config: { scope: 'templates:write' },
      schema: {
        tags,
        summary: 'Save a layout or partial; published templates change only when it is published',
        params: PartParams,
        body: TemplatePartInput,
        response: { 200: TemplatePart },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      const before = (tx: Client) => findTemplatePart(tx, tenant_id, request.params)
      return audited(pool, request, { ...auditSubject(request.params), before }, tx =>
        putTemplatePart(tx, tenant_id, { ...request.params, ...request.body }),
      )
    },
  )
  app.patch(
    '/v1/template-parts/:kind/:name',
    {
      config: { scope: 'templates:write' },
      schema: {
        tags,
        summary: 'Change a layout or partial; published templates change only when it is published',
        params: PartParams,
        body: TemplatePartChanges,
        response: { 200: TemplatePart },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      const before = (tx: Client) => findTemplatePart(tx, tenant_id, request.params)
      return audited(pool, request, { ...auditSubject(request.params), before }, tx =>
        changeTemplatePart(tx, tenant_id, request.params, request.body),
      )
    },
  )
  app.delete(
    '/v1/template-parts/:kind/:name',
    {
      config: { scope: 'templates:write' },
      schema: {
        tags,
        summary: 'Delete a layout or partial; published templates keep their copy',
        params: PartParams,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      await audited(pool, request, { ...auditSubject(request.params), action: 'delete' }, tx =>
        removeTemplatePart(tx, request.principal.tenant_id, request.params),
      )
      return reply.status(204).send(null)
    },
  )
}
