/** Versions of templates, and publishing the templates that use a part */
import {
  PageOf,
  PageQuery,
  PublishedPart,
  PublishTemplate,
  RollBackTemplate,
  TemplatePartKind,
  TemplatePartName,
  TemplateVersion,
  TemplateVersionDetail,
} from '@carillon/contract'
import { z } from 'zod'
import { audited } from '../../oversight/audit-logs/audit-logs.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { decodeCursor, toPage } from '../../platform/http/page.ts'
import type { App } from '../../platform/http/server.ts'
import { compileTurns } from './compile.ts'
import {
  lockPublished,
  publishPart,
  publishTemplate,
  rollBackTemplate,
  toVersion,
  toVersionDetail,
} from './publish.ts'
import { selectVersion, selectVersions, type TemplateKey } from './queries.ts'
import { KeyParams, keyOf, nameOf, PATH } from './template-key.ts'
import { getTemplate, noVersion } from './templates.ts'

const VersionParams = KeyParams.extend({ version: z.coerce.number().int().min(1).max(1_000_000_000) })
const PartParams = z.object({ kind: TemplatePartKind, name: TemplatePartName })
const reading = { scope: 'templates:read' } as const
const writing = { scope: 'templates:write' } as const
const tags = ['templates']

/** The audit log shows a new version next to the one it follows. */
const auditSubject = (tenantId: string, key: TemplateKey, replace_waiting: boolean) => ({
  type: 'template',
  id: nameOf(key),
  before: (tx: Client) => lockPublished(tx, tenantId, key),
  after: (version: TemplateVersion) => ({ ...version, ...(replace_waiting && { replace_waiting }) }),
})

export function templateVersionRoutes(app: App, pool: Pool): void {
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
    async request => {
      const { principal, body } = request
      const key = keyOf(request.params)
      const subject = auditSubject(principal.tenant_id, key, body.replace_waiting)
      return compileTurns.run(principal.tenant_id, () =>
        audited(pool, request, { ...subject, action: 'publish' }, tx =>
          publishTemplate(tx, principal, key, body),
        ),
      )
    },
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
    async request => {
      const { principal, body } = request
      const key = keyOf(request.params)
      const subject = auditSubject(principal.tenant_id, key, body.replace_waiting)
      return audited(pool, request, { ...subject, action: 'rollback' }, tx =>
        rollBackTemplate(tx, principal, key, body),
      )
    },
  )
  app.get(
    `${PATH}/versions`,
    {
      config: reading,
      schema: {
        tags,
        summary: 'List the versions of a template, newest first',
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
      schema: {
        tags,
        summary: 'One published version',
        params: VersionParams,
        response: { 200: TemplateVersionDetail },
      },
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
        summary: 'Republish every template that uses a layout or partial, from its published version',
        params: PartParams,
        body: PublishTemplate.pick({ replace_waiting: true }),
        response: { 200: PublishedPart },
      },
    },
    async request => {
      const { principal, body } = request
      const { replace_waiting } = body
      const id = `${request.params.kind}:${request.params.name}`
      const subject = {
        type: 'template_part',
        id,
        action: 'publish',
        // names only: hundreds of templates may use a part, and all have to fit into the audit row
        after: (published: TemplateVersion[]) => ({
          published: published.map(version => `${nameOf(version)} version ${version.version}`),
          ...(replace_waiting && { replace_waiting }),
        }),
      }
      const published = await compileTurns.run(principal.tenant_id, () =>
        audited(pool, request, subject, tx => publishPart(tx, principal, request.params, replace_waiting)),
      )
      return { published }
    },
  )
}
