/** /v1/templates, and publishing what uses a part */
import {
  Channel,
  Locale,
  Name,
  PageOf,
  PageQuery,
  Preview,
  PreviewSavedTemplate,
  PreviewTemplate,
  PublishedPart,
  PublishTemplate,
  RollBackTemplate,
  Template,
  TemplateChanges,
  TemplateInput,
  TemplatePartKind,
  TemplatePartName,
  TemplateQuery,
  TemplateSummary,
  TemplateVersion,
  TemplateVersionDetail,
} from '@carillon/contract'
import { z } from 'zod'
import type { Pool } from '../db/pool.ts'
import { decodeCursor, toPage } from '../http/page.ts'
import type { App } from '../http/server.ts'
import { canonicalLocale } from '../translations/locale.ts'
import { publishPart, publishTemplate, rollBackTemplate, toVersion, toVersionDetail } from './publish.ts'
import {
  deleteTemplate,
  selectTemplates,
  selectVersion,
  selectVersions,
  type TemplateKey,
  updateActive,
} from './queries.ts'
import {
  getTemplate,
  noTemplate,
  noVersion,
  previewTemplate,
  previewText,
  saveTemplate,
  toSummary,
  toTemplate,
} from './templates.ts'

const KeyParams = z.object({ name: Name(100), channel: Channel, locale: Locale })
const VersionParams = KeyParams.extend({ version: z.coerce.number().int().min(1).max(1_000_000_000) })
const PartParams = z.object({ kind: TemplatePartKind, name: TemplatePartName })
const PATH = '/v1/templates/:name/:channel/:locale'
const reading = { scope: 'templates:read' } as const
const writing = { scope: 'templates:write' } as const
const tags = ['templates']

const keyOf = ({ name, channel, locale }: TemplateKey): TemplateKey => ({
  name,
  channel,
  locale: canonicalLocale(locale),
})

export function templateRoutes(app: App, pool: Pool): void {
  draftRoutes(app, pool)
  versionRoutes(app, pool)
  previewRoutes(app, pool)
}

function draftRoutes(app: App, pool: Pool): void {
  app.get(
    '/v1/templates',
    {
      config: reading,
      schema: { tags, querystring: TemplateQuery, response: { 200: PageOf(TemplateSummary) } },
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
    { config: reading, schema: { tags, params: KeyParams, response: { 200: Template } } },
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

function versionRoutes(app: App, pool: Pool): void {
  app.post(
    `${PATH}/publish`,
    {
      config: writing,
      schema: {
        tags,
        summary: 'Make the draft the version that new notifications get',
        params: KeyParams,
        body: PublishTemplate,
        response: { 200: TemplateVersion },
      },
    },
    async request => publishTemplate(pool, request.principal, keyOf(request.params), request.body),
  )
  app.post(
    `${PATH}/rollback`,
    {
      config: writing,
      schema: {
        tags,
        summary: 'Publish an older version again',
        params: KeyParams,
        body: RollBackTemplate,
        response: { 200: TemplateVersion },
      },
    },
    async request => rollBackTemplate(pool, request.principal, keyOf(request.params), request.body),
  )
  app.get(
    `${PATH}/versions`,
    {
      config: reading,
      schema: {
        tags,
        summary: 'Newest first',
        params: KeyParams,
        querystring: PageQuery,
        response: { 200: PageOf(TemplateVersion) },
      },
    },
    async request => {
      const { limit, cursor } = request.query
      const { tenant_id } = request.principal
      const key = keyOf(request.params)
      await getTemplate(pool, tenant_id, key)
      const page = { after: decodeCursor(cursor, ['integer']), limit: limit + 1 }
      const rows = await selectVersions(pool, tenant_id, key, page)
      return toPage(rows, limit, row => [String(row.version)], toVersion)
    },
  )
  app.get(
    `${PATH}/versions/:version`,
    {
      config: reading,
      schema: { tags, params: VersionParams, response: { 200: TemplateVersionDetail } },
    },
    async request => {
      const { version } = request.params
      const row = await selectVersion(pool, request.principal.tenant_id, keyOf(request.params), version)
      if (row === undefined) throw noVersion(request.params, version)
      return toVersionDetail(row)
    },
  )
  app.post(
    '/v1/template-parts/:kind/:name/publish',
    {
      config: writing,
      schema: {
        tags: ['template parts'],
        summary: 'Publish every template that uses it again, from what is published now',
        params: PartParams,
        body: PublishTemplate.pick({ replace_waiting: true }),
        response: { 200: PublishedPart },
      },
    },
    async request => {
      const part = `${request.params.kind}:${request.params.name}`
      return { published: await publishPart(pool, request.principal, part, request.body.replace_waiting) }
    },
  )
}

function previewRoutes(app: App, pool: Pool): void {
  app.post(
    '/v1/templates/preview',
    {
      config: reading,
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
      config: reading,
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
