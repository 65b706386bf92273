/** Writes everything that a tenant has into a file, as it was at one moment. */
import { existsSync } from 'node:fs'
import type { Connection } from '../../platform/database/pool.ts'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import type { Box } from '../../platform/secrets/passphrase.ts'
import { isSealedTable, nameOfRow, type SealedTable, unseal } from '../../platform/secrets/sealed-rows.ts'
import { createExportWriter, FORMAT, type Header } from './file.ts'
import {
  beginReading,
  measureTable,
  type ReadRow,
  selectRows,
  selectSequences,
  type TableSize,
} from './queries.ts'
import { readTables, type Table } from './tables.ts'

export interface ExportOptions {
  tenant: { id: string; name: string }
  path: string
  release: number
  keyring: Keyring
  /** Encrypts the secrets for the file; without it they are left out. */
  box: Box | undefined
  onProgress(done: number, total: number): void
  now: Date
}

export interface Exported {
  rows: number
  tables: Record<string, number>
}

/** How much of a table is in memory at a time. Rows may be packed, and are written out longer than they are stored. */
const PORTION_BYTES = 8_000_000
const STRETCH = 4
const MOST_ROWS = 1000

export async function exportTenant(client: Connection, options: ExportOptions): Promise<Exported> {
  const { tenant, path, onProgress } = options
  if (existsSync(path)) throw new Error(`${path} exists already.`)
  await beginReading(client)
  const writer = createExportWriter(path)
  try {
    const tables: { table: Table; size: TableSize }[] = []
    for (const table of await readTables(client))
      tables.push({ table, size: await measureTable(client, table, tenant.id) })
    const total = tables.reduce((sum, { size }) => sum + size.rows, 0)
    await writer.write(JSON.stringify(await headerOf(client, tables, options)))
    let done = 0
    for (const { table, size } of tables) {
      const portion = Math.max(1, Math.min(MOST_ROWS, Math.floor(PORTION_BYTES / STRETCH / (size.bytes + 1))))
      const sealed = isSealedTable(table.name)
      for await (const rows of selectRows(client, table, tenant.id, { portion, sealed })) {
        for (const row of rows) await writer.write(lineOf(row, table.name, options))
        done += rows.length
        onProgress(done, total)
      }
    }
    await client.query('commit')
    await writer.finish(done)
    return {
      rows: done,
      tables: Object.fromEntries(tables.map(({ table, size }) => [table.name, size.rows])),
    }
  } catch (error) {
    await writer.discard()
    throw error
  }
}

async function headerOf(
  client: Connection,
  tables: { table: Table; size: TableSize }[],
  { tenant, release, box, now }: ExportOptions,
): Promise<Header> {
  const sequences = tables.flatMap(({ table }) => table.sequences)
  return {
    carillon_export: FORMAT,
    release,
    tenant,
    exported_at: now.toISOString(),
    tables: tables.map(({ table, size }) => ({
      name: table.name,
      columns: table.columns.map(({ name }) => name),
      rows: size.rows,
    })),
    sequences: await selectSequences(client, sequences),
    secrets: box?.lock ?? null,
  }
}

/** Secrets leave the instance's encryption and enter that of the file. */
function lineOf({ line, id, secrets }: ReadRow, table: string, options: ExportOptions): string {
  const { keyring, box, tenant } = options
  if (box === undefined || secrets === undefined || id === undefined) return line
  const sealed = { tenant_id: tenant.id, id, secrets }
  const plaintext = JSON.stringify(unseal(keyring, table as SealedTable, sealed))
  const closed = box.close(plaintext, nameOfRow(table as SealedTable, sealed))
  return `${line.slice(0, -2)},"secrets":${JSON.stringify(closed)}}}`
}
