/** Reads a tenant from a file, in one transaction: until it has ended, nobody sees anything of it. */
import { randomUUID } from 'node:crypto'
import { recordChange } from '../../oversight/audit-logs/audit-logs.ts'
import { isDatabaseError } from '../../platform/database/errors.ts'
import type { Connection } from '../../platform/database/pool.ts'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { type Box, openBox } from '../../platform/secrets/passphrase.ts'
import { isSealedTable, nameOfRow, type SealedTable, seal } from '../../platform/secrets/sealed-rows.ts'
import { newSigningSecret } from '../../reactions/webhooks/secrets.ts'
import { createMonthsSince } from '../archive/months.ts'
import { type ExportedLine, type Header, readHeader, readRows } from './file.ts'
import { addMissing, advanceSequence, analyzeTables, beginImport, insertRows } from './queries.ts'
import { type ReleaseNumbers, refuseClash, refuseForeignReferences, refuseOtherReleases } from './refusals.ts'
import { type Column, readTables, type Table } from './tables.ts'

export interface ImportOptions {
  path: string
  release: ReleaseNumbers
  keyring: Keyring
  /** Asked for only if the file has secrets. */
  passphrase(): Promise<string>
  /** Another name, and with it another id. */
  as: string | undefined
  onProgress(done: number, total: number): void
}

export interface Imported {
  tenant: { id: string; name: string }
  rows: number
  /** What was left out of the file and has to be entered again. */
  missing_secrets: { table: string; id: string; name: string }[]
}

/** The planner must not learn of so many only when somebody waits for a statement. */
const MANY_ROWS = 1000
const PORTION_ROWS = 500
const PORTION_BYTES = 4_000_000

export async function importTenant(client: Connection, options: ImportOptions): Promise<Imported> {
  const { path } = options
  const header = await readHeader(path)
  refuseOtherReleases(header, options.release)
  const box = header.secrets === null ? undefined : await openBox(header.secrets, await options.passphrase())
  // Once through, before anything is locked: what is not whole is refused at once.
  let firstArchived: string | undefined
  for await (const { table, text } of readRows(path)) {
    if (table === 'records_archive') firstArchived ??= /"notification_id":"([\da-f-]{36})"/.exec(text)?.[1]
  }
  const tenant = options.as === undefined ? header.tenant : { id: randomUUID(), name: options.as }
  if (firstArchived !== undefined) await prepareArchive(client, firstArchived)
  await beginImport(client)
  try {
    await refuseClash(client, tenant, options.as)
    const imported = await insertAll(client, header, { ...options, tenant, box })
    await client.query('commit')
    await analyzeTables(
      client,
      header.tables.filter(({ rows }) => rows >= MANY_ROWS).map(({ name }) => name),
    )
    return imported
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw explained(error)
  }
}

/**
 * In a transaction of its own: others would have to wait for new months until everything is in. If they read the archive just
 * then, the rows go where those without a month are, until maintenance makes one for them.
 */
async function prepareArchive(client: Connection, firstId: string): Promise<void> {
  try {
    await createMonthsSince(client, firstId)
  } catch (error) {
    if (!isDatabaseError(error, 'lock_not_available')) throw error
  }
}

interface Import extends ImportOptions {
  tenant: { id: string; name: string }
  box: Box | undefined
}

async function insertAll(client: Connection, header: Header, work: Import): Promise<Imported> {
  const { tenant, onProgress } = work
  const tables = await knownTables(client, header)
  const total = header.tables.reduce((sum, { rows }) => sum + rows, 0)
  const missing: Imported['missing_secrets'] = []
  let done = 0
  for await (const { table, lines } of portionsOf(work.path)) {
    const known = tables.get(table)
    if (known === undefined)
      throw new Error(`The file has rows of ${table}, which its first line does not name.`)
    const sealed = isSealedTable(table) ? sealAgain(table, lines, header, work, missing) : {}
    await insertRows(client, known.table, tenant.id, known.columns, lines, {
      changed: {
        ...CHANGED[table],
        ...(isSealedTable(table) && { secrets: "g.given ->> (r.row ->> 'id')" }),
      },
      given: table === 'tenants' ? { name: tenant.name } : sealed,
    })
    done += lines.length
    onProgress(done, total)
  }
  for (const { table } of tables.values()) await refuseForeignReferences(client, table, tenant.id)
  await goOnCounting(client, header, [...tables.values()])
  await addMissing(client, tenant.id)
  const after = { exported_at: header.exported_at, exported_as: header.tenant.id, rows: done }
  await recordChange(client, tenant.id, { type: 'tenant', id: tenant.id, action: 'import', after })
  return { tenant, rows: done, missing_secrets: missing }
}

/** The tenants of an instance share its sequences: one at its end would stop them all. */
const HIGHEST_NUMBER = 2n ** 62n

async function goOnCounting(
  client: Connection,
  { sequences }: Header,
  tables: { table: Table }[],
): Promise<void> {
  const own = new Set(tables.flatMap(({ table }) => table.sequences))
  for (const [name, value] of Object.entries(sequences)) {
    if (BigInt(value) > HIGHEST_NUMBER) throw new Error(`The file has counted ${name} up to ${value}.`)
    if (own.has(name)) await advanceSequence(client, name, value)
  }
}

/**
 * What is another in this instance. The tenant sends nothing until it is resumed, and a deletion planned elsewhere does
 * not happen here; it is as old as it is here, since the oldest tenant is the operator's. Nobody becomes an operator by
 * an import, neither with a key nor by what they registered.
 */
const CHANGED: Record<string, Record<string, string>> = {
  tenants: {
    name: "g.given ->> 'name'",
    created_at: 'now()',
    suspended_at: 'now()',
    suspension_reason: "'imported'",
    delete_at: 'null',
    deleting_since: 'null',
    rows_to_delete: '0',
    rows_deleted: '0',
  },
  api_keys: { scopes: "array_remove(p.scopes, 'instance')" },
  script_versions: { author_scopes: "array_remove(p.author_scopes, 'instance')" },
  triggers: { registered_scopes: "array_remove(p.registered_scopes, 'instance')" },
}

/** Where the secrets were left out. Signing secrets are new ones; a provider without its secrets is not called. */
const NEW_SECRETS: Record<SealedTable, () => unknown> = {
  provider_configs: () => ({}),
  notification_webhooks: () => ({ signing: [{ secret: newSigningSecret(), expires_at: null }], headers: {} }),
  visibility_checks: () => ({ signing: newSigningSecret() }),
}

/** The secrets of the rows by id, encrypted with the master key of this instance. */
function sealAgain(
  table: SealedTable,
  lines: string[],
  header: Header,
  { keyring, box, tenant }: Import,
  missing: Imported['missing_secrets'],
): Record<string, string> {
  const rows = lines.map(
    line => JSON.parse(line).row as { id: string; secrets?: string; name?: string; url?: string },
  )
  return Object.fromEntries(
    rows.map(({ id, secrets, name, url }) => {
      if (box === undefined || secrets === undefined) missing.push({ table, id, name: name ?? url ?? '' })
      const plain =
        box === undefined || secrets === undefined
          ? NEW_SECRETS[table]()
          : JSON.parse(box.open(secrets, nameOfRow(table, { tenant_id: header.tenant.id, id })))
      return [id, seal(keyring, table, { tenant_id: tenant.id, id }, plain)]
    }),
  )
}

/** Rows of one table that follow each other. */
async function* portionsOf(path: string): AsyncGenerator<{ table: string; lines: string[] }> {
  let table = ''
  let lines: string[] = []
  let bytes = 0
  for await (const next of readRows(path) as AsyncIterable<ExportedLine>) {
    const isFull = lines.length === PORTION_ROWS || bytes > PORTION_BYTES
    if (lines.length > 0 && (isFull || next.table !== table)) {
      yield { table, lines }
      lines = []
      bytes = 0
    }
    table = next.table
    lines.push(next.text)
    bytes += next.text.length
  }
  if (lines.length > 0) yield { table, lines }
}

/** With the columns that the file has: what has been added since gets its default. */
async function knownTables(
  client: Connection,
  { tables }: Header,
): Promise<Map<string, { table: Table; columns: Column[] }>> {
  const here = new Map((await readTables(client)).map(table => [table.name, table]))
  return new Map(
    tables.map(({ name, columns }) => {
      const table = here.get(name)
      const unknown = columns.find(column => !table?.columns.some(known => known.name === column))
      if (table === undefined || unknown !== undefined)
        throw new Error(
          `The file has ${[name, unknown].filter(Boolean).join('.')}, which this database does not have.`,
        )
      return [name, { table, columns: table.columns.filter(column => columns.includes(column.name)) }]
    }),
  )
}

/** Whom an API key belongs to is unique in an instance; and nothing refers to what belongs to another tenant. */
function explained(error: unknown): unknown {
  if (isDatabaseError(error, 'foreign_key_violation'))
    return new Error(
      `Something refers to what the file does not have (${error.detail ?? error.constraint}).`,
      {
        cause: error,
      },
    )
  if (!isDatabaseError(error, 'unique_violation')) return error
  return new Error(
    `Something of this tenant is here already (${error.detail ?? error.constraint}): it was imported before, or it lives in this database.`,
    { cause: error },
  )
}
