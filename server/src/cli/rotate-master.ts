/** Changing the master key: the new one is added, everything is re-encrypted, then the old one is dropped. */
import { type Environment, loadConfig } from '../config/config.ts'
import { migrateUp } from '../db/migrate.ts'
import { openDatabase } from '../db/open.ts'
import { createPool } from '../db/pool.ts'
import { reencryptSecrets, refuseForeignSecrets } from '../provider-configs/provider-configs.ts'
import { addMasterKey, dropOldMasterKeys } from '../secrets/master-key.ts'
import { reencryptWebhookSecrets, refuseForeignWebhookSecrets } from '../webhooks/webhooks.ts'

/** Interrupted at any point, it can be run again: old keys are kept until nothing needs them. */
export async function rotateMasterKey(environment: Environment | undefined, remark: (line: string) => void) {
  const config = loadConfig(environment)
  const database = await openDatabase(config, remark)
  const pool = createPool(database.url)
  try {
    await migrateUp(database.url)
    const keyring = await addMasterKey(config)
    await refuseForeignSecrets(pool, keyring)
    await refuseForeignWebhookSecrets(pool, keyring)
    const reencrypted =
      (await reencryptSecrets(pool, keyring)) + (await reencryptWebhookSecrets(pool, keyring))
    await dropOldMasterKeys(config)
    return { key_id: keyring.currentId, reencrypted }
  } finally {
    await pool.end()
    await database.close()
  }
}
