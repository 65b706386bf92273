/** The instance on this machine, for commands that work with its database and its master key. */
import type { Config } from '../../platform/config/config.ts'
import { migrateUp } from '../../platform/database/migrate.ts'
import { createClient } from '../../platform/database/pool.ts'
import { readVersion } from '../../platform/database/release.ts'
import { borrowDatabase } from '../../platform/embedded-database/open.ts'
import { loadKeyring } from '../../platform/secrets/master-key.ts'
import { refuseWrongMasterKey } from '../../platform/secrets/sealed-rows.ts'

export async function openInstance(config: Config, remark: (line: string) => void) {
  const database = await borrowDatabase(config, remark)
  const client = createClient(database.ownerUrl)
  const close = async () => {
    await client.end()
    await database.close()
  }
  try {
    await migrateUp(database.ownerUrl)
    await client.connect()
    const keyring = await loadKeyring(config)
    await refuseWrongMasterKey(client, keyring)
    const { release } = await readVersion()
    return { client, keyring, release, url: database.ownerUrl, close }
  } catch (error) {
    await close()
    throw error
  }
}
