/**
 * Scripts and their versions. A version keeps the scopes of whoever saved it, and a run may do only what they could do
 * too: otherwise whoever may edit a script could act as everybody whose trigger runs it.
 */
import {
  MAX_SCRIPT_VERSIONS,
  type NewScript,
  type Scope,
  type Script,
  type ScriptChanges,
  type ScriptSummary,
  type ScriptVersion,
  type ScriptVersionDetail,
} from '@carillon/contract'
import { uuidv7 } from 'uuidv7'
import type { z } from 'zod'
import { defaultProducer, isPermitted, originOf, type Principal } from '../../platform/calls/principal.ts'
import { notFound, Refusal } from '../../platform/calls/refusal.ts'
import { isDatabaseError } from '../../platform/database/errors.ts'
import type { Client, Executor } from '../../platform/database/pool.ts'
import {
  deleteScript,
  deleteVersions,
  insertScript,
  insertVersion,
  lockScript,
  type NewVersion,
  type Saved,
  type ScriptRow,
  selectScript,
  selectTriggersOf,
  selectVersion,
  updateScript,
  type VersionRow,
  type WholeScriptRow,
} from './queries.ts'

/** What it takes to run a version of a script. */
export interface Runnable {
  script_id: string
  name: string
  version: number
  source: string
  author_scopes: Scope[]
  /** The producers that its author could send as; null = any. */
  author_producers: string[] | null
  limits: { timeout_ms: number; cpu_ms: number; memory_mb: number }
}

/** The version that runs now, or the given one; undefined when there is none. */
export async function getRunnable(
  db: Executor,
  tenantId: string,
  id: string,
  version?: number,
): Promise<Runnable | undefined> {
  const script = await selectScript(db, tenantId, id)
  if (script === undefined) return undefined
  const given = version === undefined ? script : await selectVersion(db, tenantId, id, version)
  if (given === undefined) return undefined
  const { name, timeout_ms, cpu_ms, memory_mb } = script
  return {
    script_id: id,
    name,
    version: given.version,
    source: given.source,
    author_scopes: given.author_scopes,
    author_producers: given.author_producers,
    limits: { timeout_ms, cpu_ms, memory_mb },
  }
}

export async function createScript(
  tx: Client,
  principal: Principal,
  input: z.output<typeof NewScript>,
): Promise<Script> {
  const { source, ...settings } = input
  const script = { ...settings, id: uuidv7(), tenant_id: principal.tenant_id, version: 1 }
  await insertScript(tx, script).catch(refuseTakenName)
  await insertVersion(tx, script, { source, restored_from: null, ...authorOf(principal) })
  return getScript(tx, script.tenant_id, script.id)
}

/** The same source makes no version, so pushing a folder again changes nothing, least of all whose scopes count. */
export async function changeScript(
  tx: Client,
  principal: Principal,
  id: string,
  { source, ...changes }: z.output<typeof ScriptChanges>,
): Promise<Script> {
  const { tenant_id } = principal
  const before = await forChange(tx, tenant_id, id)
  const isNew = source !== undefined && source !== before.source
  const script = {
    ...before,
    version: before.version + (isNew ? 1 : 0),
    name: changes.name ?? before.name,
    description: changes.description ?? before.description,
    timeout_ms: changes.timeout_ms ?? before.timeout_ms,
    cpu_ms: changes.cpu_ms ?? before.cpu_ms,
    memory_mb: changes.memory_mb ?? before.memory_mb,
  }
  await updateScript(tx, script).catch(refuseTakenName)
  if (isNew) await addVersion(tx, script, { source, restored_from: null, ...authorOf(principal) })
  return getScript(tx, tenant_id, id)
}

/**
 * The old source becomes a new version of whoever brings it back, with their scopes: those of its author may be more
 * than they have themselves.
 */
export async function rollBackScript(
  tx: Client,
  principal: Principal,
  id: string,
  version: number,
): Promise<Script> {
  const { tenant_id } = principal
  const before = await forChange(tx, tenant_id, id)
  const { source } = await getVersion(tx, tenant_id, id, version)
  const script = { ...before, version: before.version + 1 }
  await updateScript(tx, script)
  await addVersion(tx, script, { source, restored_from: version, ...authorOf(principal) })
  return getScript(tx, tenant_id, id)
}

/** Returns what was removed. */
export async function removeScript(tx: Client, tenantId: string, id: string): Promise<Script> {
  const script = await forChange(tx, tenantId, id)
  const triggers = await selectTriggersOf(tx, tenantId, id, NAMED_TRIGGERS + 1)
  if (triggers.length > 0) throw inUse(triggers)
  await deleteScript(tx, tenantId, id)
  return toScript(script)
}

export async function getScript(db: Executor, tenantId: string, id: string): Promise<Script> {
  const row = await selectScript(db, tenantId, id)
  if (row === undefined) throw noScript(id)
  return toScript(row)
}

export async function getVersion(
  db: Executor,
  tenantId: string,
  id: string,
  version: number,
): Promise<ScriptVersionDetail> {
  const row = await selectVersion(db, tenantId, id, version)
  if (row === undefined) throw notFound(`version ${version} of the script ${id}`)
  return { ...toVersion(row), source: row.source }
}

export function toScript(row: WholeScriptRow): Script {
  const { source, author, author_scopes } = row
  return { ...toSummary(row), source, author, author_scopes }
}

export function toSummary(row: ScriptRow): ScriptSummary {
  const { id, name, description, version, timeout_ms, cpu_ms, memory_mb } = row
  const times = { created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() }
  return { id, name, description, version, timeout_ms, cpu_ms, memory_mb, ...times }
}

export function toVersion(row: VersionRow): ScriptVersion {
  const { script_id, version, is_current, restored_from, source_bytes, author, author_scopes } = row
  const created = { created_at: row.created_at.toISOString() }
  return { script_id, version, is_current, restored_from, source_bytes, author, author_scopes, ...created }
}

async function forChange(tx: Client, tenantId: string, id: string): Promise<WholeScriptRow> {
  const row = (await lockScript(tx, tenantId, id)) ? await selectScript(tx, tenantId, id) : undefined
  if (row === undefined) throw noScript(id)
  return row
}

async function addVersion(tx: Client, script: ScriptRow, version: NewVersion): Promise<void> {
  await insertVersion(tx, script, version)
  await deleteVersions(tx, script, script.version - MAX_SCRIPT_VERSIONS)
}

/** Of a source that is only tried out, whoever tries it is the author. */
export function asIfSavedBy(
  principal: Principal,
  script: Omit<Runnable, 'author_scopes' | 'author_producers'>,
): Runnable {
  return { ...script, ...authorOf(principal) }
}

function authorOf(principal: Principal): Omit<Saved, 'source'> {
  const { scopes, producers } = principal
  const own = isPermitted(principal, 'admin') ? null : [defaultProducer(principal)]
  return {
    author: originOf(principal),
    author_scopes: scopes,
    author_producers: producers ?? own,
  }
}

const noScript = (id: string): Refusal => notFound(`script ${id}`)

const NAMED_TRIGGERS = 10

function inUse(triggers: string[]): Refusal {
  const names = triggers.slice(0, NAMED_TRIGGERS).map(name => `"${name}"`)
  const shown = triggers.length > NAMED_TRIGGERS ? [...names, '…'] : names
  return new Refusal('in_use', `Triggers run this script: ${shown.join(', ')}. Delete or change them first.`)
}

function refuseTakenName(error: unknown): never {
  if (!isDatabaseError(error, 'unique_violation')) throw error
  throw new Refusal('already_exists', 'Another script already has this name.', [
    { field: 'name', message: 'Taken.' },
  ])
}
