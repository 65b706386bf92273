/** The SQL of scripts and their versions. */
import type { Scope } from '@carillon/contract'
import type { Client, Executor } from '../../platform/database/pool.ts'

export interface ScriptSettings {
  id: string
  tenant_id: string
  name: string
  description: string
  timeout_ms: number
  cpu_ms: number
  memory_mb: number
}

export interface ScriptRow extends ScriptSettings {
  version: number
  created_at: Date
  updated_at: Date
}

/** A script with what its current version says. */
export type WholeScriptRow = ScriptRow & Saved

/** What is saved as a version. */
export interface Saved {
  source: string
  author: string
  author_scopes: Scope[]
  /** null = any */
  author_producers: string[] | null
}

export type NewVersion = Saved & { restored_from: number | null }

export interface VersionRow extends Omit<NewVersion, 'source'> {
  script_id: string
  version: number
  is_current: boolean
  source_bytes: number
  created_at: Date
}

const SCRIPT = `s.id, s.tenant_id, s.name, s.description, s.version, s.timeout_ms, s.cpu_ms, s.memory_mb, s.created_at,
  s.updated_at`
const VERSION = `v.script_id, v.version, v.version = s.version as is_current, v.restored_from,
  octet_length(v.source) as source_bytes, v.author, v.author_scopes, v.author_producers,
  v.created_at`

export async function insertScript(tx: Client, row: ScriptSettings): Promise<void> {
  const { id, tenant_id, name, description, timeout_ms, cpu_ms, memory_mb } = row
  await tx.query(
    `insert into scripts (id, tenant_id, name, description, version, timeout_ms, cpu_ms, memory_mb)
     values ($1, $2, $3, $4, 1, $5, $6, $7)`,
    [id, tenant_id, name, description, timeout_ms, cpu_ms, memory_mb],
  )
}

export async function updateScript(
  tx: Client,
  row: Omit<ScriptRow, 'created_at' | 'updated_at'>,
): Promise<void> {
  const { id, tenant_id, name, description, version, timeout_ms, cpu_ms, memory_mb } = row
  await tx.query(
    `update scripts set name = $3, description = $4, version = $5, timeout_ms = $6, cpu_ms = $7, memory_mb = $8,
       updated_at = now()
     where tenant_id = $1 and id = $2`,
    [tenant_id, id, name, description, version, timeout_ms, cpu_ms, memory_mb],
  )
}

export async function insertVersion(
  tx: Client,
  { tenant_id, id, version }: { tenant_id: string; id: string; version: number },
  { source, author, author_scopes, author_producers, restored_from }: NewVersion,
): Promise<void> {
  await tx.query(
    `insert into script_versions (tenant_id, script_id, version, source, author, author_scopes, author_producers,
       restored_from)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [tenant_id, id, version, source, author, author_scopes, author_producers, restored_from],
  )
}

/** Those up to and including this one. */
export async function deleteVersions(
  tx: Client,
  { tenant_id, id }: { tenant_id: string; id: string },
  upTo: number,
): Promise<void> {
  await tx.query('delete from script_versions where tenant_id = $1 and script_id = $2 and version <= $3', [
    tenant_id,
    id,
    upTo,
  ])
}

/** Until the transaction ends nobody else changes it or points a trigger at it. Returns whether it exists. */
export async function lockScript(tx: Client, tenantId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query('select from scripts where tenant_id = $1 and id = $2 for update', [
    tenantId,
    id,
  ])
  return rowCount === 1
}

export async function selectScript(
  db: Executor,
  tenantId: string,
  id: string,
): Promise<WholeScriptRow | undefined> {
  const { rows } = await db.query<WholeScriptRow>(
    `select ${SCRIPT}, v.source, v.author, v.author_scopes, v.author_producers
     from scripts s join script_versions v on (v.tenant_id, v.script_id, v.version) = (s.tenant_id, s.id, s.version)
     where s.tenant_id = $1 and s.id = $2`,
    [tenantId, id],
  )
  return rows[0]
}

/** By name. */
export async function selectScripts(
  db: Executor,
  tenantId: string,
  page: { name?: string | undefined; after: (string | number)[] | undefined; limit: number },
): Promise<ScriptRow[]> {
  const { rows } = await db.query<ScriptRow>(
    `select ${SCRIPT} from scripts s
     where s.tenant_id = $1 and ($2::text is null or s.name = $2) and ($3::text is null or s.name > $3)
     order by s.name limit $4`,
    [tenantId, page.name ?? null, page.after?.[0] ?? null, page.limit],
  )
  return rows
}

export async function deleteScript(tx: Client, tenantId: string, id: string): Promise<void> {
  await tx.query('delete from scripts where tenant_id = $1 and id = $2', [tenantId, id])
}

/** Newest first. */
export async function selectVersions(
  db: Executor,
  tenantId: string,
  id: string,
  page: { after: (string | number)[] | undefined; limit: number },
): Promise<VersionRow[]> {
  const { rows } = await db.query<VersionRow>(
    `select ${VERSION}
     from script_versions v join scripts s on (s.tenant_id, s.id) = (v.tenant_id, v.script_id)
     where v.tenant_id = $1 and v.script_id = $2 and ($3::integer is null or v.version < $3)
     order by v.version desc limit $4`,
    [tenantId, id, page.after?.[0] ?? null, page.limit],
  )
  return rows
}

export async function selectVersion(
  db: Executor,
  tenantId: string,
  id: string,
  version: number,
): Promise<(VersionRow & { source: string }) | undefined> {
  const { rows } = await db.query<VersionRow & { source: string }>(
    `select ${VERSION}, v.source
     from script_versions v join scripts s on (s.tenant_id, s.id) = (v.tenant_id, v.script_id)
     where v.tenant_id = $1 and v.script_id = $2 and v.version = $3`,
    [tenantId, id, version],
  )
  return rows[0]
}

/** The names of the triggers that run it. */
export async function selectTriggersOf(
  db: Executor,
  tenantId: string,
  id: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    'select name from triggers where tenant_id = $1 and script_id = $2 order by name limit $3',
    [tenantId, id, limit],
  )
  return rows.map(row => row.name)
}
