/** Drafts of templates. */
import type { Template, TemplateChanges, TemplateInput, TemplateSummary } from '@carillon/contract'
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

/** Unlike saveTemplate, it creates nothing. A draft can be switched even if what it uses is gone by now. */
export async function changeTemplate(
  tx: Client,
  principal: Principal,
  key: TemplateKey,
  { is_active, ...changes }: z.output<typeof TemplateChanges>,
): Promise<Template> {
  const stored = await getTemplate(tx, principal.tenant_id, key)
  const isChanged = Object.values(changes).some(value => value !== undefined)
  if (isChanged) await saveTemplate(tx, principal, key, withChanges(stored, changes))
  if (is_active !== undefined) await updateActive(tx, principal.tenant_id, key, is_active)
  return toTemplate(await getTemplate(tx, principal.tenant_id, key))
}

function withChanges(
  { channel, subject, title, body, text, layout, variables }: TemplateRow,
  changes: Omit<z.output<typeof TemplateChanges>, 'is_active'>,
): z.output<typeof TemplateInput> {
  const stored = {
    subject: subject ?? undefined,
    title: title ?? undefined,
    body,
    text,
    // null is a mail without a layout; other channels have none.
    layout: channel === 'email' ? layout : undefined,
    variables,
  }
  const { text: changedText, ...changed } = { ...stored, ...changes }
  return { ...changed, text: changedText ?? undefined }
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
