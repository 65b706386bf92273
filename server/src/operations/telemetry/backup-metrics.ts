/** Metrics of backups, in the process that makes them: without backups there are none. */
import { Gauge, type Registry } from 'prom-client'

export type ShowBackups = (state: {
  lastBackupAt: Date | undefined
  archiveFailure: object | undefined
}) => void

export function createBackupMetrics(registry: Registry): ShowBackups {
  let gauges: { last: Gauge; failing: Gauge } | undefined
  return ({ lastBackupAt, archiveFailure }) => {
    gauges ??= createGauges(registry)
    gauges.last.set((lastBackupAt?.getTime() ?? 0) / 1000)
    gauges.failing.set(archiveFailure === undefined ? 0 : 1)
  }
}

function createGauges(registry: Registry) {
  const registers = [registry]
  return {
    last: new Gauge({
      name: 'carillon_last_backup_timestamp_seconds',
      help: 'When the newest full backup was begun that can be restored up to now; 0 without one',
      registers,
    }),
    failing: new Gauge({
      name: 'carillon_archive_failing',
      help: 'Whether PostgreSQL cannot archive its log',
      registers,
    }),
  }
}
