/** The SQL of templates and their versions. */
import type { Channel, TemplateVariable } from '@carillon/contract'
import type { Client, Executor } from '../../platform/database/pool.ts'

export interface TemplateKey {
  name: string
  channel: Channel
  locale: string
}

/** What an author writes; null for fields that the channel does not have. */
export interface Content {
  subject: string | null
  title: string | null
  body: string
  text: string | null
  layout: string | null
  variables: TemplateVariable[]
}

export interface TemplateRow extends TemplateKey, Content {
  id: string
  is_active: boolean
  published_version_id: string | null
  published_version: number | null
  created_by: string | null
  created_at: Date
  updated_at: Date
}

const TEMPLATE = `t.id, t.name, t.channel, t.locale, t.subject, t.title, t.body, t.text_body as text, t.layout, t.variables,
  t.is_active, t.published_version_id, t.created_by, t.created_at, t.updated_at,
  (select v.version from template_versions v where v.tenant_id = t.tenant_id and v.id = t.published_version_id)
    as published_version`
const BY_KEY = 't.tenant_id = $1 and t.name = $2 and t.channel = $3 and lower(t.locale) = lower($4)'

export async function upsertTemplate(
  db: Executor,
  tenantId: string,
  template: TemplateKey & Content & { id: string; created_by: string | null },
): Promise<void> {
  await db.query(
    `insert into notification_templates (id, tenant_id, name, channel, locale, subject, title, body, text_body, layout,
       variables, created_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
     on conflict (tenant_id, name, channel, lower(locale)) do update set subject = excluded.subject,
       title = excluded.title, body = excluded.body, text_body = excluded.text_body, layout = excluded.layout,
       variables = excluded.variables, updated_at = now()`,
    [
      template.id,
      tenantId,
      template.name,
      template.channel,
      template.locale,
      template.subject,
      template.title,
      template.body,
      template.text,
      template.layout,
      JSON.stringify(template.variables),
      template.created_by,
    ],
  )
}

export async function selectTemplate(
  db: Executor,
  tenantId: string,
  key: TemplateKey,
): Promise<TemplateRow | undefined> {
  const { rows } = await db.query<TemplateRow>(
    `select ${TEMPLATE} from notification_templates t where ${BY_KEY}`,
    [tenantId, key.name, key.channel, key.locale],
  )
  return rows[0]
}

/** Only one transaction at a time publishes a template, which makes version numbers gapless and unique. */
export async function lockTemplate(
  tx: Client,
  tenantId: string,
  key: TemplateKey,
): Promise<TemplateRow | undefined> {
  await tx.query(`select from notification_templates t where ${BY_KEY} for no key update`, [
    tenantId,
    key.name,
    key.channel,
    key.locale,
  ])
  // In a second statement, since the first sees the row as it was before waiting for the lock.
  return selectTemplate(tx, tenantId, key)
}

/** Ordered by name, channel and locale. */
export async function selectTemplates(
  db: Executor,
  tenantId: string,
  query: {
    name?: string | undefined
    channel?: string | undefined
    after: (string | number)[] | undefined
    limit: number
  },
): Promise<TemplateRow[]> {
  const { rows } = await db.query<TemplateRow>(
    `select ${TEMPLATE} from notification_templates t
     where t.tenant_id = $1 and ($2::text is null or t.name = $2) and ($3::text is null or t.channel = $3)
       and ($4::text is null or (t.name, t.channel, lower(t.locale)) > ($4, $5, lower($6)))
     order by t.name, t.channel, lower(t.locale) limit $7`,
    [
      tenantId,
      query.name ?? null,
      query.channel ?? null,
      query.after?.[0] ?? null,
      query.after?.[1] ?? null,
      query.after?.[2] ?? null,
      query.limit,
    ],
  )
  return rows
}

/** The templates whose published version uses the part, in the order in which everybody locks them. */
export async function selectTemplatesUsing(
  db: Executor,
  tenantId: string,
  part: string,
): Promise<TemplateKey[]> {
  const { rows } = await db.query<TemplateKey>(
    `select t.name, t.channel, t.locale from notification_templates t
     join template_versions v on v.tenant_id = t.tenant_id and v.id = t.published_version_id
     where t.tenant_id = $1 and $2 = any (v.parts) order by t.name, t.channel, lower(t.locale)`,
    [tenantId, part],
  )
  return rows
}

export async function updateActive(
  db: Executor,
  tenantId: string,
  key: TemplateKey,
  isActive: boolean,
): Promise<void> {
  await db.query(`update notification_templates t set is_active = $5, updated_at = now() where ${BY_KEY}`, [
    tenantId,
    key.name,
    key.channel,
    key.locale,
    isActive,
  ])
}

export async function updatePublished(
  db: Executor,
  tenantId: string,
  id: string,
  versionId: string,
): Promise<void> {
  await db.query(
    'update notification_templates set published_version_id = $3, updated_at = now() where tenant_id = $1 and id = $2',
    [tenantId, id, versionId],
  )
}

export async function deleteTemplate(db: Executor, tenantId: string, key: TemplateKey): Promise<void> {
  await db.query(`delete from notification_templates t where ${BY_KEY}`, [
    tenantId,
    key.name,
    key.channel,
    key.locale,
  ])
}

export interface VersionRow extends TemplateKey {
  id: string
  template_id: string
  version: number
  is_current: boolean
  source: Content
  parts: string[]
  restored_from: number | null
  replaced_by: number | null
  published_by: string | null
  published_at: Date
}

const VERSION = `v.id, v.template_id, v.name, v.channel, v.locale, v.version, v.source, v.parts, v.restored_from,
  (select r.version from template_versions r where r.tenant_id = v.tenant_id and r.id = v.replaced_by) as replaced_by,
  v.published_by, v.published_at, v.id = t.published_version_id as is_current`
const VERSIONS =
  'notification_templates t join template_versions v on v.tenant_id = t.tenant_id and v.template_id = t.id'

/** Takes the next number under the template's lock. Not with now(), as the transaction may have waited for it. */
export async function insertVersion(
  tx: Client,
  tenantId: string,
  version: TemplateKey &
    Pick<VersionRow, 'id' | 'template_id' | 'source' | 'parts' | 'restored_from' | 'published_by'> & {
      compiled: object
    },
): Promise<void> {
  await tx.query(
    `insert into template_versions (id, tenant_id, template_id, version, name, channel, locale, source, compiled, parts,
       restored_from, published_by, published_at)
     select $1, $2, $3, coalesce(max(v.version), 0) + 1, $4, $5, $6, $7, $8, $9, $10, $11, clock_timestamp()
     from template_versions v where v.tenant_id = $2 and v.template_id = $3`,
    [
      version.id,
      tenantId,
      version.template_id,
      version.name,
      version.channel,
      version.locale,
      JSON.stringify(version.source),
      JSON.stringify(version.compiled),
      version.parts,
      version.restored_from,
      version.published_by,
    ],
  )
}

/** Routes waiting with an earlier version will use this one. Changes one row per version, however many routes wait. */
export async function replaceEarlierVersions(
  tx: Client,
  tenantId: string,
  templateId: string,
  versionId: string,
): Promise<void> {
  await tx.query(
    'update template_versions set replaced_by = $3 where tenant_id = $1 and template_id = $2 and id <> $3',
    [tenantId, templateId, versionId],
  )
}

/** Newest first. */
export async function selectVersions(
  db: Executor,
  tenantId: string,
  key: TemplateKey,
  page: { after: (string | number)[] | undefined; limit: number },
): Promise<VersionRow[]> {
  const { rows } = await db.query<VersionRow>(
    `select ${VERSION} from ${VERSIONS} where ${BY_KEY} and ($5::integer is null or v.version < $5)
     order by v.version desc limit $6`,
    [tenantId, key.name, key.channel, key.locale, page.after?.[0] ?? null, page.limit],
  )
  return rows
}

export async function selectVersion(
  db: Executor,
  tenantId: string,
  key: TemplateKey,
  version: number,
): Promise<VersionRow | undefined> {
  const { rows } = await db.query<VersionRow>(
    `select ${VERSION} from ${VERSIONS} where ${BY_KEY} and v.version = $5`,
    [tenantId, key.name, key.channel, key.locale, version],
  )
  return rows[0]
}

export interface CompiledRow<Compiled = unknown> extends TemplateKey {
  id: string
  tenant_id: string
  template_id: string
  version: number
  variables: TemplateVariable[]
  compiled: Compiled
}

/** Of any tenants: a batch of routes may belong to several. */
export async function selectCompiled<Compiled>(
  db: Executor,
  versions: Pick<CompiledRow, 'tenant_id' | 'id'>[],
): Promise<CompiledRow<Compiled>[]> {
  const { rows } = await db.query<CompiledRow<Compiled>>(
    `select v.id, v.tenant_id, v.template_id, v.name, v.channel, v.locale, v.version,
       v.source -> 'variables' as variables, v.compiled
     from unnest($1::uuid[], $2::uuid[]) as k (tenant_id, id)
     join template_versions v on v.tenant_id = k.tenant_id and v.id = k.id`,
    [versions.map(({ tenant_id }) => tenant_id), versions.map(({ id }) => id)],
  )
  return rows
}

/** The ids of templates that are switched off, and which versions were replaced by which. */
export async function selectInactiveAndReplaced(
  db: Executor,
  tenantId: string,
): Promise<{ inactive: string[]; replaced: Record<string, string> }> {
  const { rows } = await db.query<{ inactive: string[]; replaced: Record<string, string> }>(
    `select array(select id from notification_templates where tenant_id = $1 and not is_active) as inactive,
       coalesce((select jsonb_object_agg(id, replaced_by) from template_versions
         where tenant_id = $1 and replaced_by is not null), '{}') as replaced`,
    [tenantId],
  )
  return rows[0]!
}
