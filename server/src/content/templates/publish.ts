/**
 * Versions: what is published never changes, so a route that names one says the same however long it waits. Rolling
 * back publishes an older version again, under a new number.
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
import { type Compiled, compileTemplate, partsOf } from './compile.ts'
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
import { loadSurroundings, noTemplate, noVersion } from './templates.ts'

interface NewVersion {
  source: Content
  compiled: Compiled
  parts: string[]
  restored_from: number | null
}

/** The version that new notifications get now; nobody publishes another until the transaction ends. */
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
  const made = await make(tx, tenant_id, template, contentOf(template))
  const current = options.only_if_changed ? await sameAsPublished(tx, tenant_id, template, made) : undefined
  if (current === undefined) return publish(tx, principal, template, made, options.replace_waiting)
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
  const [stored] = await selectCompiled<Compiled>(tx, [older.id])
  // As it was, byte for byte: parts that changed since are not taken in.
  const made = { ...older, compiled: stored!.compiled, restored_from: older.version }
  return publish(tx, principal, template, made, options.replace_waiting)
}

/** Publishes every template that uses the part again, from what is published now and not from drafts. All or none. */
export async function publishPart(
  tx: Client,
  principal: Principal,
  part: string,
  replaceWaiting: boolean,
): Promise<TemplateVersion[]> {
  const { tenant_id } = principal
  const published: TemplateVersion[] = []
  for (const key of await selectTemplatesUsing(tx, tenant_id, part)) {
    const template = await lock(tx, tenant_id, key)
    const current = await currentVersion(tx, tenant_id, template)
    if (current === undefined) continue
    const made = await make(tx, tenant_id, template, current.source)
    published.push(await publish(tx, principal, template, made, replaceWaiting))
  }
  return published
}

async function lock(tx: Client, tenantId: string, key: TemplateKey): Promise<TemplateRow> {
  const template = await lockTemplate(tx, tenantId, key)
  if (template === undefined) throw noTemplate(key)
  return template
}

/** Compiled anew even when the draft did not change: partials and translations may have. */
async function make(
  tx: Client,
  tenantId: string,
  { channel, locale }: TemplateRow,
  source: Content,
): Promise<NewVersion> {
  const around = await loadSurroundings(tx, tenantId)
  const compiled = await compileTemplate(channel, source, locale, around)
  return { source, compiled, parts: partsOf(source, around.parts), restored_from: null }
}

async function publish(
  tx: Client,
  principal: Principal,
  template: TemplateRow,
  made: NewVersion,
  replaceWaiting: boolean,
): Promise<TemplateVersion> {
  const { tenant_id, user_id } = principal
  const { name, channel, locale } = template
  const { source, compiled, parts, restored_from } = made
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
  made: NewVersion,
): Promise<TemplateVersion | undefined> {
  const current = await currentVersion(tx, tenantId, template)
  if (current === undefined) return undefined
  const [stored] = await selectCompiled<Compiled>(tx, [current.id])
  const isSame =
    isDeepStrictEqual(stored?.compiled, made.compiled) && isDeepStrictEqual(current.source, made.source)
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
