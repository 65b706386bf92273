/**
 * Changing the master key: the new one is added, everything is re-encrypted, then the old one is retired. It goes on
 * verifying the links in mails that have been sent, until the last of them has ended.
 */
import { longestLinkEnd } from '../../content/messages/mail-links.ts'
import { makeBackup } from '../../operations/backups/make-backup.ts'
import { recordChange } from '../../oversight/audit-logs/audit-logs.ts'
import { type Config, loadConfig } from '../../platform/config/config.ts'
import { migrateUp } from '../../platform/database/migrate.ts'
import { type Client, createPool, type Pool } from '../../platform/database/pool.ts'
import { type BorrowedDatabase, borrowDatabase } from '../../platform/embedded-database/open.ts'
import { findRunningCarillon } from '../../platform/processes/running-carillon.ts'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { addMasterKey, loadKeyring, retireOldMasterKeys } from '../../platform/secrets/master-key.ts'
import {
  reencryptSecrets,
  refuseWrongMasterKey,
  type SealedTable,
} from '../../platform/secrets/sealed-rows.ts'
import type { Terminal } from '../output/terminal.ts'

/**
 * Can be run again after an interruption at any point: old keys are kept until nothing needs them. Beside running
 * processes too: they follow the key file, and take the new key for what they encrypt from then on.
 */
export async function rotateMasterKey(
  { environment, sleep }: Pick<Terminal, 'environment' | 'sleep'>,
  remark: (line: string) => void,
) {
  const config = loadConfig(environment)
  const database = await borrowDatabase(config, remark)
  const pool = createPool(database.url)
  try {
    await migrateUp(database.ownerUrl)
    return await alone(pool, async () => {
      // Before the key file changes: with a wrong key, nothing must.
      const known = await loadKeyring(config)
      await refuseWrongMasterKey(pool, known)
      refuseUnpreparedProcess(config, database, known)
      const keyring = await addMasterKey(config)
      await backUpKey(config, database)
      let reencrypted = await reencryptSecrets(pool, keyring, recordReencryption)
      // A process may have encrypted something with the old key just before it saw the new one, and store it only now.
      for (let late = 1; late > 0; reencrypted += late) {
        await sleep(STORE_MS)
        late = await reencryptSecrets(pool, keyring, recordReencryption)
      }
      const now = new Date()
      const linksUntil = longestLinkEnd(now)
      await retireOldMasterKeys(config, linksUntil, now)
      return {
        key_id: keyring.currentId,
        reencrypted,
        links_until: linksUntil.toISOString(),
        keep_in_setting: config.CARILLON_MASTER_KEY !== '',
      }
    })
  } finally {
    await pool.end()
    await database.close()
  }
}

/** Before anything is encrypted with it alone: older backups do not have it, and the log after them would be unreadable. */
async function backUpKey(config: Config, { ownerUrl, cluster }: BorrowedDatabase): Promise<void> {
  if (config.backupDir !== undefined && cluster !== undefined) await makeBackup(config, { ownerUrl, cluster })
}

/** Longer than a process takes between encrypting a secret and storing it. */
const STORE_MS = 1000
const LOCK_ID = '7241865325823965'

/** Two rotations at once would each drop the other's key. */
async function alone<T>(pool: Pool, work: () => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query(`select pg_advisory_lock(${LOCK_ID})`)
    return await work()
  } finally {
    client.release(true)
  }
}

/** A process that cannot learn the new key would be left with secrets that it cannot read. */
function refuseUnpreparedProcess(config: Config, database: BorrowedDatabase, known: Keyring): void {
  const running = findRunningCarillon(config.dataDir)
  if (running === undefined) {
    if (!database.isBesideProcess) return
    throw new Error(
      'The Carillon that runs on this data folder is still starting. Run this again in a moment, or stop it first.',
    )
  }
  if (config.CARILLON_MASTER_KEY === '' || running.master_key_ids.includes(known.currentId)) return
  throw new Error(
    `The running Carillon (process ${running.pid}) does not have the key ${known.currentId}, which everything would be encrypted with. ` +
      'Set CARILLON_MASTER_KEY to the new key, a comma and the old one, start it again, and then run this again.',
  )
}

/** The audit log's names for the tables. */
const RESOURCE: Record<SealedTable, string> = {
  provider_configs: 'provider',
  notification_webhooks: 'webhook',
  visibility_checks: 'visibility_check',
}

export async function recordReencryption(
  tx: Client,
  table: SealedTable,
  { tenant_id, id }: { tenant_id: string; id: string },
): Promise<void> {
  await recordChange(tx, tenant_id, { type: RESOURCE[table], id, action: 'reencrypt' })
}
