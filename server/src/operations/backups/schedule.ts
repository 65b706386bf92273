/** Makes backups by itself, in the process that owns the embedded server, and tells operators when that does not work. */
import { raiseSystemEvent, resolveSystemEvents } from '../../oversight/system-events/system-events.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { createLoop, type Service } from '../../platform/queue/service.ts'
import type { Wake } from '../../platform/queue/wake.ts'
import { type BackupState, dueInMs, isOverdue, readBackupState } from './backup-state.ts'
import { type BackedUpServer, type MadeBackup, makeBackup } from './make-backup.ts'

export interface BackupScheduleOptions {
  config: Config
  server: BackedUpServer
  pool: Pool
  wake: Wake
  now: () => Date
  onMade: (made: MadeBackup) => void
  onState: (state: BackupState) => void
  onError: (error: unknown) => void
}

const LOOK_MS = 60_000
const AFTER_FAILURE_MS = 15 * 60_000

export function createBackupSchedule(options: BackupScheduleOptions): Service {
  const look = createBackupRound(options)
  return createLoop({
    name: 'backups',
    round: look,
    wait: ms => options.wake.wait(ms),
    interrupt: () => options.wake.call(),
    onError: options.onError,
  })
}

/** One look, and a backup if one is due. Returns how long to wait for the next. */
export function createBackupRound(options: BackupScheduleOptions): () => Promise<number> {
  const { config, server, pool, now, onMade, onState, onError } = options
  const hours = config.CARILLON_BACKUP_HOURS
  const startedAt = now()
  let notBefore = 0

  async function makeIfDue(state: BackupState): Promise<BackupState> {
    if (dueInMs(state, hours, now()) > 0 || now().getTime() < notBefore) return state
    try {
      onMade(await makeBackup(config, server))
      return await readBackupState(pool, config)
    } catch (error) {
      notBefore = now().getTime() + AFTER_FAILURE_MS
      onError(error)
      return state
    }
  }

  return async () => {
    const state = await makeIfDue(await readBackupState(pool, config))
    onState(state)
    await report(pool, 'backup_overdue', isOverdue(state, hours, startedAt, now()), {
      description: 'The last full backup is older than it should be. The log says why backups fail.',
      details: { last_backup_at: state.lastBackupAt ?? null, hours },
    })
    await report(pool, 'backup_archive_failing', state.archiveFailure !== undefined, {
      description:
        'PostgreSQL cannot archive its log, so what happens now would be lost with this machine, and its disk fills up. Look at the disk and the permissions of the backup folder.',
      details: { ...state.archiveFailure },
    })
    return Math.min(LOOK_MS, Math.max(1000, dueInMs(state, hours, now())))
  }
}

async function report(
  pool: Pool,
  eventType: string,
  isWrong: boolean,
  event: { description: string; details: Record<string, unknown> },
): Promise<void> {
  if (!isWrong) return resolveSystemEvents(pool, null, eventType, '')
  await raiseSystemEvent(pool, {
    tenant_id: null,
    event_type: eventType,
    severity: 'critical',
    cool_down_seconds: 24 * 3600,
    ...event,
  })
}
