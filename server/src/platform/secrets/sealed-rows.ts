/** The tables whose rows hold secrets: each row has one encrypted text in `secrets`, bound to that row. */
import { type Client, type Executor, type Pool, transaction } from '../database/pool.ts'
import { changeKey, refuseOtherKey } from './database-key.ts'
import type { Keyring } from './keyring.ts'

const TABLES = ['provider_configs', 'notification_webhooks', 'visibility_checks'] as const
export type SealedTable = (typeof TABLES)[number]

export function isSealedTable(table: string): table is SealedTable {
  return (TABLES as readonly string[]).includes(table)
}

export interface SealedRow {
  tenant_id: string
  id: string
  secrets: string
}

const BATCH = 100

export function seal(
  keyring: Keyring,
  table: SealedTable,
  row: Pick<SealedRow, 'tenant_id' | 'id'>,
  secrets: unknown,
): string {
  return keyring.encrypt(JSON.stringify(secrets), nameOfRow(table, row))
}

/** This process lacks the key, or the row was tampered with: whoever needs the secret has to wait for one that can. */
export class UnreadableSecret extends Error {}

export function unseal(keyring: Keyring, table: SealedTable, row: SealedRow): unknown {
  try {
    return JSON.parse(keyring.decrypt(row.secrets, nameOfRow(table, row)))
  } catch (error) {
    throw new UnreadableSecret((error as Error).message)
  }
}

/** With the wrong master key everything would fail piece by piece; better to refuse the start once. */
export async function refuseWrongMasterKey(pool: Executor, keyring: Keyring): Promise<void> {
  await refuseUnreadableRows(pool, keyring)
  await refuseOtherKey(pool, keyring)
}

/** First, as it also finds what was encrypted before the database knew its key. */
async function refuseUnreadableRows(pool: Executor, keyring: Keyring): Promise<void> {
  for (const table of TABLES) {
    const { rows } = await pool.query<{ key_id: string }>(
      `select distinct split_part(secrets, '.', 2) as key_id from ${table} where secrets is not null`,
    )
    const missing = rows.map(row => row.key_id).filter(id => !keyring.has(id))
    if (missing.length === 0) continue
    throw new Error(
      `Secrets in ${table} were encrypted with another master key (${missing.join(', ')}). Set CARILLON_MASTER_KEY to that key, or put its file "master-key" back into the data folder.`,
    )
  }
}

/** Throws if one cannot be opened. Returns how many there are. */
export async function openEverySecret(pool: Pool, keyring: Keyring): Promise<number> {
  let opened = 0
  for (const table of TABLES) {
    const { rows } = await pool.query<SealedRow>(
      `select tenant_id, id, secrets from ${table} where secrets is not null`,
    )
    for (const row of rows) unseal(keyring, table, row)
    opened += rows.length
  }
  return opened
}

/** Re-encrypts every secret with the current key, calling `onChanged` in the same transaction. Returns how many changed. */
export async function reencryptSecrets(
  pool: Pool,
  keyring: Keyring,
  onChanged: (tx: Client, table: SealedTable, row: SealedRow) => Promise<void>,
): Promise<number> {
  let changed = 0
  for (const table of TABLES) {
    for (let batch = BATCH; batch === BATCH; changed += batch) {
      batch = await transaction(pool, tx => reencryptBatch(tx, keyring, table, onChanged))
    }
  }
  await changeKey(pool, keyring)
  return changed
}

async function reencryptBatch(
  tx: Client,
  keyring: Keyring,
  table: SealedTable,
  onChanged: (tx: Client, table: SealedTable, row: SealedRow) => Promise<void>,
): Promise<number> {
  const { rows } = await tx.query<SealedRow>(
    `select id, tenant_id, secrets from ${table} where split_part(secrets, '.', 2) <> $1 order by id limit $2 for update`,
    [keyring.currentId, BATCH],
  )
  for (const row of rows) {
    await tx.query(`update ${table} set secrets = $3, updated_at = now() where tenant_id = $1 and id = $2`, [
      row.tenant_id,
      row.id,
      seal(keyring, table, row, unseal(keyring, table, row)),
    ])
    await onChanged(tx, table, row)
  }
  return rows.length
}

/** What a row's secrets are bound to. */
export function nameOfRow(
  table: SealedTable,
  { tenant_id, id }: Pick<SealedRow, 'tenant_id' | 'id'>,
): string {
  return `${table}/${tenant_id}/${id}`
}
