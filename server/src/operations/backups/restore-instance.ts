/** A whole instance from a backup: restored, brought to this version's schema, and held back until somebody decides. */
import { type Restored, type RestoreOptions, restoreBackup } from '../../platform/backups/restore.ts'
import { migrateUp } from '../../platform/database/migrate.ts'
import { createPool } from '../../platform/database/pool.ts'
import { startEmbedded } from '../../platform/embedded-database/embedded.ts'
import { finishRestore } from '../../platform/embedded-database/unfinished-restore.ts'
import { type HeldRestore, holdInstance } from '../restores/restores.ts'

export async function restoreInstance(options: RestoreOptions): Promise<Restored & { held: HeldRestore }> {
  const restored = await restoreBackup(options)
  const { dataDir, log, settings } = options
  const server = await startEmbedded({ dataDir, log, ...(settings && { settings }) })
  const pool = createPool(server.url)
  try {
    await migrateUp(server.ownerUrl)
    const held = await holdInstance(pool, {
      backup_id: restored.backup.id,
      restored_to: restored.lastCommitAt ?? null,
    })
    finishRestore(dataDir)
    return { ...restored, held }
  } finally {
    await pool.end()
    await server.stop()
  }
}
