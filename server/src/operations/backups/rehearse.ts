/** Restores the newest backup into a folder of its own, looks whether it is whole, and removes it again. */
import { chmodSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readBackups } from '../../platform/backups/manifest.ts'
import { type RestoreOptions, restoreBackup } from '../../platform/backups/restore.ts'
import type { Config } from '../../platform/config/config.ts'
import { migrationStatus } from '../../platform/database/migrate.ts'
import { createPool, type Pool } from '../../platform/database/pool.ts'
import { startEmbedded } from '../../platform/embedded-database/embedded.ts'
import { loadKeyring } from '../../platform/secrets/master-key.ts'
import { openEverySecret, refuseWrongMasterKey } from '../../platform/secrets/sealed-rows.ts'

export interface Rehearsal {
  backup_id: string
  backup_at: string
  /** The newest commit that was restored. */
  restored_to: string | null
  /** Of every table, by reading all of it. */
  rows: Record<string, number>
  /** How many secrets the restored master key opened. */
  secrets: number
  standing: string
}

export type RehearsalOptions = Pick<
  RestoreOptions,
  'folder' | 'passphrase' | 'log' | 'settings' | 'onCopied' | 'onReplayed'
> & {
  config: Config
  /** Where there is room for the whole database. */
  inside?: string | undefined
}

export async function rehearseRestore(options: RehearsalOptions): Promise<Rehearsal> {
  const { damages } = await readBackups(options.folder)
  if (damages.length > 0) throw damages[0]
  const parent = mkdtempSync(join(options.inside ?? tmpdir(), 'carillon-rehearsal-'))
  chmodSync(parent, 0o755) // For root, PostgreSQL runs as another user, who has to be able to enter.
  try {
    const dataDir = join(parent, 'data')
    const { backup, lastCommitAt } = await restoreBackup({ ...options, dataDir, target: 'latest' })
    return {
      backup_id: backup.id,
      backup_at: backup.stopped_at,
      restored_to: lastCommitAt?.toISOString() ?? null,
      ...(await inspect(dataDir, options)),
    }
  } finally {
    await rm(parent, { recursive: true, force: true })
  }
}

async function inspect(dataDir: string, { config, log, settings }: RehearsalOptions) {
  const server = await startEmbedded({ dataDir, log, ...(settings && { settings }) })
  const pool = createPool(server.ownerUrl)
  try {
    const { standing } = await migrationStatus(server.ownerUrl)
    // The key of the backup, and not the one that is here.
    const keyring = await loadKeyring({ ...config, dataDir, CARILLON_MASTER_KEY: '' })
    await refuseWrongMasterKey(pool, keyring)
    return { standing, rows: await countRows(pool), secrets: await openEverySecret(pool, keyring) }
  } finally {
    await pool.end()
    await server.stop()
  }
}

async function countRows(pool: Pool): Promise<Record<string, number>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = 'carillon'::regnamespace and relkind = 'r' order by 1",
  )
  const counts: Record<string, number> = {}
  for (const { name } of tables) {
    const { rows } = await pool.query<{ count: number }>(
      `select count(t.*)::integer as count from carillon."${name}" t`,
    )
    counts[name] = rows[0]!.count
  }
  return counts
}
