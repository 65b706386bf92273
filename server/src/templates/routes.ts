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
import type { Pool } from '../db/pool.ts'
import { decodeCursor, toPage } from '../http/page.ts'
import type { App } from '../http/server.ts'
import { deleteTemplate, selectTemplates, updateActive } from './queries.ts'
import { KeyParams, keyOf, PATH } from './template-key.ts'
import {
  getTemplate,
  noTemplate,
  previewTemplate,
  previewText,
  saveTemplate,
  toSummary,
  toTemplate,
} from './templates.ts'

const reading = { scope: 'templates:read' } as const
const writing = { scope: 'templates:write' } as const
const tags = ['templates']

export function templateRoutes(app: App, pool: Pool): void {
  draftRoutes(app, pool)
  previewRoutes(app, pool)
}

function draftRoutes(app: App, pool: Pool): void {
  app.get(
    '/v1/templates',
    {
      config: reading,
      schema: {
        tags,
        summary: 'By name, channel and language',
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
      schema: { tags, summary: 'The draft', params: KeyParams, response: { 200: Template } },
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
      const key = keyOf(request.params)
      await saveTemplate(pool, request.principal, key, request.body)
      return toTemplate(await getTemplate(pool, request.principal.tenant_id, key))
    },
  )
  app.patch(
    PATH,
    {
      config: writing,
      schema: {
        tags,
        summary: 'Switch it off or on',
        params: KeyParams,
        body: TemplateChanges,
        response: { 200: Template },
      },
    },
    async request => {
      const key = keyOf(request.params)
      const { tenant_id } = request.principal
      await updateActive(pool, tenant_id, key, request.body.is_active)
      return toTemplate(await getTemplate(pool, tenant_id, key))
    },
  )
  app.delete(
    PATH,
    {
      config: writing,
      schema: {
        tags,
        summary: 'Remove it; what was accepted with it still goes out',
        params: KeyParams,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const key = keyOf(request.params)
      if (!(await deleteTemplate(pool, request.principal.tenant_id, key))) throw noTemplate(key)
      return reply.status(204).send(null)
    },
  )
}

/** They change nothing, but they cost a process each: not for everybody who may read. */
function previewRoutes(app: App, pool: Pool): void {
  app.post(
    '/v1/templates/preview',
    {
      config: writing,
      schema: {
        tags,
        summary: 'How a text would look that is not saved',
        body: PreviewTemplate,
        response: { 200: Preview },
      },
    },
    async request => previewText(pool, request.principal.tenant_id, request.body),
  )
  app.post(
    `${PATH}/preview`,
    {
      config: writing,
      schema: {
        tags,
        summary: 'How the draft or a version looks',
        params: KeyParams,
        body: PreviewSavedTemplate,
        response: { 200: Preview },
      },
    },
    async request => previewTemplate(pool, request.principal.tenant_id, keyOf(request.params), request.body),
  )
}
