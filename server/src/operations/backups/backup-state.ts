/** Whether an instance could be restored if its machine were lost now: the last full backup, and the archive of the log. */
import { byPosition } from '../../platform/backups/choose.ts'
import { listBackups } from '../../platform/backups/manifest.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Executor } from '../../platform/database/pool.ts'
import { archivingPeriod } from '../../platform/embedded-database/embedded-archive.ts'
import { loadKeyring } from '../../platform/secrets/master-key.ts'
import { backupFolder } from './make-backup.ts'

export interface BackupState {
  /** When the newest backup was begun; undefined without one that reaches until now. */
  lastBackupAt: Date | undefined
  /** undefined when archiving works. */
  archiveFailure: { segment: string; since: Date } | undefined
}

const HOUR_MS = 3600 * 1000
/** A backup that failed is tried again, and may take long. */
const TOLERANCE = 1.25

/**
 * Backups from before a start that did not archive end there, and one from before the master key was changed cannot open
 * what was encrypted since.
 */
export async function readBackupState(db: Executor, config: Config): Promise<BackupState> {
  const period = archivingPeriod(config.dataDir)
  const { currentId } = await loadKeyring(config)
  const newest = (await listBackups(backupFolder(config)))
    .filter(backup => backup.archiving === period && backup.master_key_ids.includes(currentId))
    .sort(byPosition)
    .at(-1)
  return {
    lastBackupAt: newest && new Date(newest.started_at),
    archiveFailure: await selectFailure(db),
  }
}

/** How long until the next backup; 0: now. */
export function dueInMs(state: BackupState, hours: number, now: Date): number {
  const ageMs = ageOf(state, now)
  return ageMs === undefined ? 0 : Math.max(0, hours * HOUR_MS - ageMs)
}

export function isOverdue(state: BackupState, hours: number, startedAt: Date, now: Date): boolean {
  const ageMs = ageOf(state, now) ?? now.getTime() - startedAt.getTime()
  return ageMs > hours * HOUR_MS * TOLERANCE
}

/** undefined also where the clock was set back since: nobody knows how old it is. */
function ageOf({ lastBackupAt }: BackupState, now: Date): number | undefined {
  const ageMs = lastBackupAt && now.getTime() - lastBackupAt.getTime()
  return ageMs !== undefined && ageMs < -HOUR_MS ? undefined : ageMs
}

async function selectFailure(db: Executor): Promise<BackupState['archiveFailure']> {
  const { rows } = await db.query<{ segment: string; since: Date }>(
    `select last_failed_wal as segment, last_failed_time as since from pg_stat_archiver
     where last_failed_time > coalesce(last_archived_time, '-infinity')`,
  )
  return rows[0]
}
