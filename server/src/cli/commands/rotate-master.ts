/**
 * Changing the master key: the new one is added, everything is re-encrypted, then the old one is retired. It goes on
 * verifying the links in mails that have been sent, until the last of them has ended.
 */
import { longestLinkEnd } from '../../content/messages/mail-links.ts'
import { recordChange } from '../../oversight/audit-logs/audit-logs.ts'
import { type Environment, loadConfig } from '../../platform/config/config.ts'
import { migrateUp } from '../../platform/database/migrate.ts'
import { type Client, createPool } from '../../platform/database/pool.ts'
import { openDatabase } from '../../platform/embedded-database/open.ts'
import { addMasterKey, retireOldMasterKeys } from '../../platform/secrets/master-key.ts'
import {
  reencryptSecrets,
  refuseWrongMasterKey,
  type SealedTable,
} from '../../platform/secrets/sealed-rows.ts'

/** Can be run again after an interruption at any point: old keys are kept until nothing needs them. */
export async function rotateMasterKey(environment: Environment | undefined, remark: (line: string) => void) {
  const config = loadConfig(environment)
  const database = await openDatabase(config, remark)
  const pool = createPool(database.url)
  try {
    await migrateUp(database.url)
    const keyring = await addMasterKey(config)
    await refuseWrongMasterKey(pool, keyring)
    const reencrypted = await reencryptSecrets(pool, keyring, recordReencryption)
    const now = new Date()
    const linksUntil = longestLinkEnd(now)
    await retireOldMasterKeys(config, linksUntil, now)
    return {
      key_id: keyring.currentId,
      reencrypted,
      links_until: linksUntil.toISOString(),
      keep_in_setting: config.CARILLON_MASTER_KEY !== '',
    }
  } finally {
    await pool.end()
    await database.close()
  }
}

/** The audit log's names for the tables. */
const RESOURCE: Record<SealedTable, string> = {
  provider_configs: 'provider',
  notification_webhooks: 'webhook',
}

export async function recordReencryption(
  tx: Client,
  table: SealedTable,
  { tenant_id, id }: { tenant_id: string; id: string },
): Promise<void> {
  await recordChange(tx, tenant_id, { type: RESOURCE[table], id, action: 'reencrypt' })
}
