/** The SQL of layouts and partials. */
import type { TemplatePartKind } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'

export interface TemplatePartRow {
  kind: TemplatePartKind
  name: string
  source: string
  updated_at: Date
}

export async function selectTemplateParts(db: Executor, tenantId: string): Promise<TemplatePartRow[]> {
  const { rows } = await db.query<TemplatePartRow>(
    'select kind, name, source, updated_at from template_parts where tenant_id = $1 order by kind, name',
    [tenantId],
  )
  return rows
}

export async function upsertTemplatePart(
  db: Executor,
  tenantId: string,
  part: Omit<TemplatePartRow, 'updated_at'>,
): Promise<TemplatePartRow> {
  const { rows } = await db.query<TemplatePartRow>(
    `insert into template_parts (tenant_id, kind, name, source) values ($1, $2, $3, $4)
     on conflict (tenant_id, kind, name) do update set source = excluded.source, updated_at = now()
     returning kind, name, source, updated_at`,
    [tenantId, part.kind, part.name, part.source],
  )
  return rows[0]!
}

export async function deleteTemplatePart(
  db: Executor,
  tenantId: string,
  kind: TemplatePartKind,
  name: string,
): Promise<TemplatePartRow | undefined> {
  const { rows } = await db.query<TemplatePartRow>(
    `delete from template_parts where tenant_id = $1 and kind = $2 and name = $3
     returning kind, name, source, updated_at`,
    [tenantId, kind, name],
  )
  return rows[0]
}
