/** Drafts of templates. */
import type { Template, TemplateInput, TemplateSummary } from '@carillon/contract'
import { uuidv7 } from 'uuidv7'
import type { z } from 'zod'
import type { Principal } from '../../platform/calls/principal.ts'
import { notFound, type Refusal } from '../../platform/calls/refusal.ts'
import type { Client, Executor } from '../../platform/database/pool.ts'
import { loadParts } from '../template-parts/template-parts.ts'
import { loadCatalogs } from '../translations/translations.ts'
import { type TemplateResources, toContent } from './check.ts'
import { checkTemplate } from './compile.ts'
import {
  deleteTemplate,
  lockTemplate,
  selectTemplate,
  type TemplateKey,
  type TemplateRow,
  updateActive,
  upsertTemplate,
} from './queries.ts'

export async function loadResources(db: Executor, tenantId: string): Promise<TemplateResources> {
  return { parts: await loadParts(db, tenantId), catalogs: await loadCatalogs(db, tenantId) }
}

export async function saveTemplate(
  db: Executor,
  principal: Principal,
  key: TemplateKey,
  input: z.output<typeof TemplateInput>,
): Promise<Template> {
  const { tenant_id, user_id } = principal
  const content = toContent(key.channel, input)
  checkTemplate(key.channel, content, key.locale, await loadResources(db, tenant_id))
  await upsertTemplate(db, tenant_id, { ...key, ...content, id: uuidv7(), created_by: user_id })
  return toTemplate(await getTemplate(db, tenant_id, key))
}

export async function switchTemplate(
  db: Executor,
  tenantId: string,
  key: TemplateKey,
  isActive: boolean,
): Promise<Template> {
  await updateActive(db, tenantId, key, isActive)
  return toTemplate(await getTemplate(db, tenantId, key))
}

/** Returns what was removed. */
export async function removeTemplate(tx: Client, tenantId: string, key: TemplateKey): Promise<Template> {
  const template = await findForChange(tx, tenantId, key)
  if (template === undefined) throw noTemplate(key)
  await deleteTemplate(tx, tenantId, key)
  return template
}

/** Locks the draft: nobody else saves or publishes it until the transaction ends. */
export async function findForChange(
  tx: Client,
  tenantId: string,
  key: TemplateKey,
): Promise<Template | undefined> {
  const row = await lockTemplate(tx, tenantId, key)
  return row && toTemplate(row)
}

export async function getTemplate(db: Executor, tenantId: string, key: TemplateKey): Promise<TemplateRow> {
  const row = await selectTemplate(db, tenantId, key)
  if (row === undefined) throw noTemplate(key)
  return row
}

export const noVersion = ({ name }: TemplateKey, version: number): Refusal =>
  notFound(`version ${version} of the template "${name}"`)

export const noTemplate = ({ name, channel, locale }: TemplateKey): Refusal =>
  notFound(`template "${name}" for ${channel} in ${locale}`)

export function toTemplate(row: TemplateRow): Template {
  const { subject, title, body, text, layout, variables } = row
  return { ...toSummary(row), subject, title, body, text, layout, variables }
}

export function toSummary(row: TemplateRow): TemplateSummary {
  return {
    name: row.name,
    channel: row.channel,
    locale: row.locale,
    is_active: row.is_active,
    published_version: row.published_version,
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}
