/** What a template looks like, rendered as for delivery, with sample values instead of a payload. */
import type { Channel, Preview, PreviewSavedTemplate, PreviewTemplate } from '@carillon/contract'
import type { z } from 'zod'
import { Refusal } from '../../platform/calls/refusal.ts'
import type { Executor } from '../../platform/database/pool.ts'
import { brandingVariables, getBranding } from '../branding/branding.ts'
import type { MailLinks } from '../messages/mail-links.ts'
import { canonicalLocale } from '../translations/locale.ts'
import { createTranslate } from '../translations/messages.ts'
import { loadCatalogs } from '../translations/translations.ts'
import { toContent } from './check.ts'
import { type Compiled, compileTemplate, compileTurns } from './compile.ts'
import { type Content, selectCompiled, selectVersion, type TemplateKey, type TemplateRow } from './queries.ts'
import { prepare, RenderFailure, renderTemplate } from './render.ts'
import { getTemplate, loadResources, noVersion } from './templates.ts'

/** Previews a template that is not saved. */
export async function previewText(
  db: Executor,
  tenantId: string,
  input: z.output<typeof PreviewTemplate>,
  links: MailLinks | null,
): Promise<Preview> {
  const { channel, timezone, data } = input
  const content = toContent(channel, input.template)
  const locale = canonicalLocale(input.locale)
  const resources = await loadResources(db, tenantId)
  const compiled = await compileTurns.run(tenantId, () =>
    compileTemplate(channel, content, locale, resources),
  )
  const previewable = { channel, variables: content.variables, compiled }
  return preview(db, tenantId, previewable, { locale, timezone, data, links })
}

/** Previews the draft as it would be published now, or a version as it is. */
export async function previewTemplate(
  db: Executor,
  tenantId: string,
  key: TemplateKey,
  input: z.output<typeof PreviewSavedTemplate>,
  links: MailLinks | null,
): Promise<Preview> {
  const { version, timezone, data } = input
  const draft = await getTemplate(db, tenantId, key)
  const locale = input.locale === undefined ? key.locale : canonicalLocale(input.locale)
  const previewable =
    version === undefined
      ? await compileDraft(db, tenantId, draft)
      : await loadVersion(db, tenantId, key, version)
  return preview(db, tenantId, previewable, { locale, timezone, data, links })
}

interface Previewable {
  channel: Channel
  variables: Content['variables']
  compiled: Compiled
}

async function compileDraft(db: Executor, tenantId: string, draft: TemplateRow): Promise<Previewable> {
  const resources = await loadResources(db, tenantId)
  const compiled = await compileTurns.run(tenantId, () =>
    compileTemplate(draft.channel, draft, draft.locale, resources),
  )
  return { ...draft, compiled }
}

async function loadVersion(
  db: Executor,
  tenantId: string,
  key: TemplateKey,
  version: number,
): Promise<Previewable> {
  const found = await selectVersion(db, tenantId, key, version)
  if (found === undefined) throw noVersion(key, version)
  return (await selectCompiled<Compiled>(db, [{ tenant_id: tenantId, id: found.id }]))[0]!
}

/** For whom it is rendered, and with what. */
interface PreviewReader {
  locale: string
  timezone: string
  data: Record<string, unknown>
  links: MailLinks | null
}

async function preview(
  db: Executor,
  tenantId: string,
  { channel, variables, compiled }: Previewable,
  { locale, timezone, data, links }: PreviewReader,
): Promise<Preview> {
  const branding = await getBranding(db, tenantId)
  const catalogs = await loadCatalogs(db, tenantId)
  const samples = Object.fromEntries(variables.map(({ name, sample }) => [name, sample ?? null]))
  try {
    return renderTemplate(
      prepare(channel, variables, compiled),
      { ...samples, ...data },
      {
        branding: brandingVariables(branding),
        recipient: { id: 'ada', address: 'ada@example.com', locale, timezone },
        notification: { id: '00000000-0000-7000-8000-000000000000', type: 'preview' },
        links: channel === 'email' ? links : null,
        translate: createTranslate(catalogs, locale, timezone),
      },
    )
  } catch (error) {
    if (error instanceof RenderFailure) throw new Refusal('render_failed', toSentence(error.message))
    throw error
  }
}

const toSentence = (text: string): string => `${text[0]?.toUpperCase()}${text.slice(1)}.`
