/** Drafts of templates, and how they would look. */
import type {
  Channel,
  Preview,
  PreviewSavedTemplate,
  PreviewTemplate,
  Template,
  TemplateInput,
  TemplateSummary,
} from '@carillon/contract'
import { uuidv7 } from 'uuidv7'
import type { z } from 'zod'
import type { Principal } from '../access/principal.ts'
import { brandingVariables, getBranding } from '../branding/branding.ts'
import type { Client, Executor } from '../db/pool.ts'
import { notFound, Refusal } from '../refusal.ts'
import { loadParts } from '../template-parts/template-parts.ts'
import { canonicalLocale } from '../translations/locale.ts'
import { createTranslate } from '../translations/messages.ts'
import { loadCatalogs } from '../translations/translations.ts'
import { type Surroundings, toContent } from './check.ts'
import { type Compiled, checkTemplate, compileTemplate } from './compile.ts'
import {
  type Content,
  deleteTemplate,
  lockTemplate,
  selectCompiled,
  selectTemplate,
  selectVersion,
  type TemplateKey,
  type TemplateRow,
  updateActive,
  upsertTemplate,
} from './queries.ts'
import { prepare, RenderFailure, renderTemplate } from './render.ts'

export async function loadSurroundings(db: Executor, tenantId: string): Promise<Surroundings> {
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
  checkTemplate(key.channel, content, key.locale, await loadSurroundings(db, tenant_id))
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

/** Answers what was there. */
export async function removeTemplate(tx: Client, tenantId: string, key: TemplateKey): Promise<Template> {
  const template = await findForChange(tx, tenantId, key)
  if (template === undefined) throw noTemplate(key)
  await deleteTemplate(tx, tenantId, key)
  return template
}

/** The draft as it is until the transaction ends: nobody saves or publishes it meanwhile. */
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

export async function previewText(
  db: Executor,
  tenantId: string,
  input: z.output<typeof PreviewTemplate>,
): Promise<Preview> {
  const { channel } = input
  const content = toContent(channel, input.template)
  const locale = canonicalLocale(input.locale)
  const compiled = await compileTemplate(channel, content, locale, await loadSurroundings(db, tenantId))
  return preview(
    db,
    tenantId,
    { channel, locale, variables: content.variables, compiled },
    locale,
    input.data,
  )
}

/** The draft as it would be published now, or a version as it is. */
export async function previewTemplate(
  db: Executor,
  tenantId: string,
  key: TemplateKey,
  input: z.output<typeof PreviewSavedTemplate>,
): Promise<Preview> {
  const draft = await getTemplate(db, tenantId, key)
  const recipientLocale = input.locale === undefined ? key.locale : canonicalLocale(input.locale)
  const shown =
    input.version === undefined
      ? await compileDraft(db, tenantId, draft)
      : await loadVersion(db, tenantId, key, input.version)
  return preview(db, tenantId, shown, recipientLocale, input.data)
}

interface Previewed {
  channel: Channel
  locale: string
  variables: Content['variables']
  compiled: Compiled
}

async function compileDraft(db: Executor, tenantId: string, draft: TemplateRow): Promise<Previewed> {
  const around = await loadSurroundings(db, tenantId)
  return { ...draft, compiled: await compileTemplate(draft.channel, draft, draft.locale, around) }
}

async function loadVersion(
  db: Executor,
  tenantId: string,
  key: TemplateKey,
  version: number,
): Promise<Previewed> {
  const found = await selectVersion(db, tenantId, key, version)
  if (found === undefined) throw noVersion(key, version)
  return (await selectCompiled<Compiled>(db, [found.id]))[0]!
}

/** The same way that delivery goes, with samples instead of a payload. */
async function preview(
  db: Executor,
  tenantId: string,
  { channel, locale, variables, compiled }: Previewed,
  recipientLocale: string,
  data: Record<string, unknown>,
): Promise<Preview> {
  const branding = await getBranding(db, tenantId)
  const catalogs = await loadCatalogs(db, tenantId)
  const samples = Object.fromEntries(variables.map(({ name, sample }) => [name, sample ?? null]))
  try {
    return renderTemplate(
      prepare(channel, locale, variables, compiled),
      { ...samples, ...data },
      {
        branding: brandingVariables(branding),
        recipient: { id: 'ada', address: 'ada@example.com', locale: recipientLocale },
        notification: { id: '00000000-0000-7000-8000-000000000000', type: 'preview' },
        translate: createTranslate(catalogs, recipientLocale),
      },
    )
  } catch (error) {
    if (error instanceof RenderFailure) throw new Refusal('render_failed', sentence(error.message))
    throw error
  }
}

const sentence = (text: string): string => `${text[0]?.toUpperCase()}${text.slice(1)}.`

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
