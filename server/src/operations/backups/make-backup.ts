/** A full backup, and the end of those that are too old. */
import { takeBaseBackup } from '../../platform/backups/base-backup.ts'
import { readDataFiles } from '../../platform/backups/data-files.ts'
import { type Expired, expireBackups } from '../../platform/backups/expire.ts'
import type { Manifest } from '../../platform/backups/manifest.ts'
import type { Config } from '../../platform/config/config.ts'
import { archivingPeriod } from '../../platform/embedded-database/embedded-archive.ts'
import { loadKeyring } from '../../platform/secrets/master-key.ts'

export interface MadeBackup {
  backup: Manifest
  expired: Expired
}

/** The embedded server that is backed up. */
export interface BackedUpServer {
  ownerUrl: string
  cluster: string
}

export async function makeBackup(
  config: Config,
  { ownerUrl, cluster }: BackedUpServer,
  onProgress?: (done: number, total: number) => void,
): Promise<MadeBackup> {
  const folder = backupFolder(config)
  // Before the files are read: a key that is added in between is then missed here, and backed up once more.
  const { ids: masterKeyIds } = await loadKeyring(config)
  const backup = await takeBaseBackup({
    ownerUrl,
    cluster,
    folder,
    passphrase: config.CARILLON_BACKUP_PASSPHRASE,
    dataFiles: await readDataFiles(config),
    masterKeyIds,
    archiving: archivingPeriod(config.dataDir) ?? '',
    ...(onProgress && { onProgress }),
  })
  const { CARILLON_BACKUP_KEEP_DAYS: keepDays, CARILLON_BACKUP_HOURS: hours } = config
  const atLeast = Math.ceil((keepDays * 24) / hours)
  return { backup, expired: await expireBackups(folder, { keepDays, atLeast }, new Date()) }
}

export function backupFolder({ backupDir }: Config): string {
  if (backupDir !== undefined) return backupDir
  throw new Error('Set CARILLON_BACKUP_DIR to the folder of the backups, or name it with --from.')
}
