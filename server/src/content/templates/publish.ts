/**
 * Versions of templates. A published version never changes, so a route that names one reads the same however long it
 * waits. Rolling back publishes an older version again, under a new number.
 */
import { isDeepStrictEqual } from 'node:util'
import type {
  PublishTemplate,
  RollBackTemplate,
  TemplateVersion,
  TemplateVersionDetail,
} from '@carillon/contract'
import { uuidv7 } from 'uuidv7'
import type { z } from 'zod'
import type { Principal } from '../../platform/calls/principal.ts'
import type { Client } from '../../platform/database/pool.ts'
import { lockDefaultLayout, storePublishedLayout } from '../template-parts/published-layout.ts'
import {
  DEFAULT_LAYOUT_NAME,
  findTemplatePart,
  noPart,
  type PartKey,
} from '../template-parts/template-parts.ts'
import { type Compiled, compileTemplate, partialsIn, partsOf } from './compile.ts'
import { compilePlainMail } from './plain-mail.ts'
import {
  type Content,
  insertVersion,
  lockTemplate,
  replaceEarlierVersions,
  selectCompiled,
  selectTemplatesUsing,
  selectVersion,
  selectVersions,
  type TemplateKey,
  type TemplateRow,
  updatePublished,
  type VersionRow,
} from './queries.ts'
import { loadResources, noTemplate, noVersion } from './templates.ts'

interface NewVersion {
  source: Content
  compiled: Compiled
  parts: string[]
  restored_from: number | null
}

/** The version that new notifications get. Locks it: nobody publishes another until the transaction ends. */
export async function lockPublished(
  tx: Client,
  tenantId: string,
  key: TemplateKey,
): Promise<TemplateVersion | undefined> {
  const current = await currentVersion(tx, tenantId, await lock(tx, tenantId, key))
  return current && toVersion(current)
}

export async function publishTemplate(
  tx: Client,
  principal: Principal,
  key: TemplateKey,
  options: z.output<typeof PublishTemplate>,
): Promise<TemplateVersion> {
  const { tenant_id } = principal
  const template = await lock(tx, tenant_id, key)
  const version = await compileVersion(tx, tenant_id, template, contentOf(template))
  const current = options.only_if_changed
    ? await sameAsPublished(tx, tenant_id, template, version)
    : undefined
  if (current === undefined) return publish(tx, principal, template, version, options.replace_waiting)
  if (options.replace_waiting) await replaceEarlierVersions(tx, tenant_id, template.id, current.id)
  return current
}

export async function rollBackTemplate(
  tx: Client,
  principal: Principal,
  key: TemplateKey,
  options: z.output<typeof RollBackTemplate>,
): Promise<TemplateVersion> {
  const { tenant_id } = principal
  const template = await lock(tx, tenant_id, key)
  const older = await selectVersion(tx, tenant_id, key, options.version)
  if (older === undefined) throw noVersion(key, options.version)
  const [stored] = await selectCompiled<Compiled>(tx, [{ tenant_id, id: older.id }])
  // As it was, byte for byte: parts that have changed since are not included.
  const version = { ...older, compiled: stored!.compiled, restored_from: older.version }
  return publish(tx, principal, template, version, options.replace_waiting)
}

/** Republishes every template that uses the part, from its published version and not from the draft. All or nothing. */
export async function publishPart(
  tx: Client,
  principal: Principal,
  part: PartKey,
  replaceWaiting: boolean,
): Promise<TemplateVersion[]> {
  const { tenant_id } = principal
  if ((await findTemplatePart(tx, tenant_id, part)) === undefined) throw noPart(part)
  const published: TemplateVersion[] = []
  for (const key of await selectTemplatesUsing(tx, tenant_id, `${part.kind}:${part.name}`)) {
    const template = await lock(tx, tenant_id, key)
    const current = await currentVersion(tx, tenant_id, template)
    if (current === undefined) continue
    const version = await compileVersion(tx, tenant_id, template, current.source)
    published.push(await publish(tx, principal, template, version, replaceWaiting))
  }
  await publishDefaultLayout(tx, tenant_id, `${part.kind}:${part.name}`)
  return published
}

/** Mails without a template use it as published, and with the partials as they are now. */
async function publishDefaultLayout(tx: Client, tenantId: string, part: string): Promise<void> {
  const layout = await lockDefaultLayout(tx, tenantId)
  const isItself = part === `layout:${DEFAULT_LAYOUT_NAME}`
  const source = isItself ? layout?.source : layout?.published_source
  if (source === undefined || source === null) return
  const { parts } = await loadResources(tx, tenantId)
  if (!isItself && !partialsIn(source, parts).includes(part.replace(/^partial:/, ''))) return
  const plainMail = await compilePlainMail(
    { field: 'layout', part: `layout "${DEFAULT_LAYOUT_NAME}"`, text: source },
    parts.partials,
  )
  await storePublishedLayout(tx, tenantId, source, plainMail)
}

async function lock(tx: Client, tenantId: string, key: TemplateKey): Promise<TemplateRow> {
  const template = await lockTemplate(tx, tenantId, key)
  if (template === undefined) throw noTemplate(key)
  return template
}

/** Compiles even if the draft has not changed, since partials and translations may have. */
async function compileVersion(
  tx: Client,
  tenantId: string,
  { channel, locale }: TemplateRow,
  source: Content,
): Promise<NewVersion> {
  const resources = await loadResources(tx, tenantId)
  const compiled = await compileTemplate(channel, source, locale, resources)
  return { source, compiled, parts: partsOf(source, resources.parts), restored_from: null }
}

async function publish(
  tx: Client,
  principal: Principal,
  template: TemplateRow,
  version: NewVersion,
  replaceWaiting: boolean,
): Promise<TemplateVersion> {
  const { tenant_id, user_id } = principal
  const { name, channel, locale } = template
  const { source, compiled, parts, restored_from } = version
  const id = uuidv7()
  await insertVersion(tx, tenant_id, {
    id,
    template_id: template.id,
    name,
    channel,
    locale,
    source,
    compiled,
    parts,
    restored_from,
    published_by: user_id,
  })
  await updatePublished(tx, tenant_id, template.id, id)
  if (replaceWaiting) await replaceEarlierVersions(tx, tenant_id, template.id, id)
  return toVersion((await currentVersion(tx, tenant_id, { ...template, published_version_id: id }))!)
}

async function sameAsPublished(
  tx: Client,
  tenantId: string,
  template: TemplateRow,
  version: NewVersion,
): Promise<TemplateVersion | undefined> {
  const current = await currentVersion(tx, tenantId, template)
  if (current === undefined) return undefined
  const [stored] = await selectCompiled<Compiled>(tx, [{ tenant_id: tenantId, id: current.id }])
  const isSame =
    isDeepStrictEqual(stored?.compiled, version.compiled) && isDeepStrictEqual(current.source, version.source)
  return isSame ? toVersion(current) : undefined
}

async function currentVersion(
  tx: Client,
  tenantId: string,
  template: TemplateRow,
): Promise<VersionRow | undefined> {
  if (template.published_version_id === null) return undefined
  const [newest] = await selectVersions(tx, tenantId, template, { after: undefined, limit: 1 })
  return newest
}

function contentOf({ subject, title, body, text, layout, variables }: TemplateRow): Content {
  return { subject, title, body, text, layout, variables }
}

export function toVersion(row: VersionRow): TemplateVersion {
  const { id, name, channel, locale, version, is_current, restored_from, replaced_by, parts, published_by } =
    row
  const published_at = row.published_at.toISOString()
  return {
    id,
    name,
    channel,
    locale,
    version,
    is_current,
    restored_from,
    replaced_by,
    parts,
    published_by,
    published_at,
  }
}

export function toVersionDetail(row: VersionRow): TemplateVersionDetail {
  return { ...toVersion(row), ...row.source }
}
