/** /v1/templates: drafts and previews */
import {
  PageOf,
  Preview,
  PreviewSavedTemplate,
  PreviewTemplate,
  Template,
  TemplateChanges,
  TemplateInput,
  TemplateQuery,
  TemplateSummary,
} from '@carillon/contract'
import { z } from 'zod'
import { audited } from '../../oversight/audit-logs/audit-logs.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { decodeCursor, toPage } from '../../platform/http/page.ts'
import type { App } from '../../platform/http/server.ts'
import { type MailLinks, sampleLinks } from '../messages/mail-links.ts'
import { previewTemplate, previewText } from './preview.ts'
import { selectTemplates, type TemplateKey } from './queries.ts'
import { KeyParams, keyOf, nameOf, PATH } from './template-key.ts'
import {
  changeTemplate,
  findForChange,
  getTemplate,
  removeTemplate,
  saveTemplate,
  toSummary,
  toTemplate,
} from './templates.ts'

const reading = { scope: 'templates:read' } as const
const writing = { scope: 'templates:write' } as const
/** Each costs a process, so they need more than the scope to read. */
const previewing = { ...writing, unaudited: 'it changes nothing' } as const
const tags = ['templates']
const type = 'template'

export function templateRoutes(app: App, pool: Pool, publicUrl: string): void {
  draftRoutes(app, pool)
  previewRoutes(app, pool, sampleLinks(publicUrl))
}

const draft = (tenantId: string, key: TemplateKey) => ({
  type,
  id: nameOf(key),
  before: (tx: Client) => findForChange(tx, tenantId, key),
})

function draftRoutes(app: App, pool: Pool): void {
  app.get(
    '/v1/templates',
    {
      config: reading,
      schema: {
        tags,
        summary: 'List templates by name, channel and language',
        querystring: TemplateQuery,
        response: { 200: PageOf(TemplateSummary) },
      },
    },
    async request => {
      const { limit, cursor, ...filter } = request.query
      const after = decodeCursor(cursor, ['text', 'text', 'text'])
      const rows = await selectTemplates(pool, request.principal.tenant_id, {
        ...filter,
        after,
        limit: limit + 1,
      })
      return toPage(rows, limit, row => [row.name, row.channel, row.locale], toSummary)
    },
  )
  app.get(
    PATH,
    {
      config: reading,
      schema: { tags, summary: 'The draft of a template', params: KeyParams, response: { 200: Template } },
    },
    async request => toTemplate(await getTemplate(pool, request.principal.tenant_id, keyOf(request.params))),
  )
  app.put(
    PATH,
    {
      config: writing,
      schema: {
        tags,
        summary: 'Save the draft',
        params: KeyParams,
        body: TemplateInput,
        response: { 200: Template },
      },
    },
    async request => {
      const { principal } = request
      const key = keyOf(request.params)
      return audited(pool, request, draft(principal.tenant_id, key), tx =>
        saveTemplate(tx, principal, key, request.body),
      )
    },
  )
  app.patch(
    PATH,
    {
      config: writing,
      schema: {
        tags,
        summary: 'Change the draft, or switch the template off or on',
        params: KeyParams,
        body: TemplateChanges,
        response: { 200: Template },
      },
    },
    async request => {
      const { principal } = request
      const key = keyOf(request.params)
      return audited(pool, request, draft(principal.tenant_id, key), tx =>
        changeTemplate(tx, principal, key, request.body),
      )
    },
  )
  app.delete(
    PATH,
    {
      config: writing,
      schema: {
        tags,
        summary: 'Delete a template; what was accepted with it still goes out',
        params: KeyParams,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const key = keyOf(request.params)
      await audited(pool, request, { type, id: nameOf(key), action: 'delete' }, tx =>
        removeTemplate(tx, request.principal.tenant_id, key),
      )
      return reply.status(204).send(null)
    },
  )
}

function previewRoutes(app: App, pool: Pool, links: MailLinks | null): void {
  app.post(
    '/v1/templates/preview',
    {
      config: previewing,
      schema: {
        tags,
        summary: 'Preview a template without saving it',
        body: PreviewTemplate,
        response: { 200: Preview },
      },
    },
    async request => previewText(pool, request.principal.tenant_id, request.body, links),
  )
  app.post(
    `${PATH}/preview`,
    {
      config: previewing,
      schema: {
        tags,
        summary: 'Preview the draft or a version',
        params: KeyParams,
        body: PreviewSavedTemplate,
        response: { 200: Preview },
      },
    },
    async request =>
      previewTemplate(pool, request.principal.tenant_id, keyOf(request.params), request.body, links),
  )
}
