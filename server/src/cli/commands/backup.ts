/** `carillon backup`: full backups of the embedded database, and rehearsals of their restore. */
import type { Command } from 'commander'
import { type Config, loadConfig } from '../../platform/config/config.ts'
import type { Invocation, Open } from '../invocation.ts'
import { startProgress } from '../output/progress.ts'
import type { Column } from '../output/table.ts'
import { formatMoment } from '../output/times.ts'

export function addBackup(program: Command, open: Open): void {
  const backup = program
    .command('backup')
    .description('make a full backup of the embedded database, also while Carillon runs')
    .action(async (_options, command: Command) => {
      const invocation = open(command)
      const made = await makeNow(invocation, loadConfig(invocation.terminal.environment))
      const { id, bytes, stored_bytes, stopped_at } = made.backup
      invocation.print.show(
        { id, bytes, stored_bytes, stopped_at, deleted: made.expired },
        () => `${id}  ${inMegabytes(bytes)}, ${inMegabytes(stored_bytes)} compressed`,
      )
    })

  backup
    .command('list')
    .option('--from <folder>', 'the folder of the backups (CARILLON_BACKUP_DIR)')
    .description('the backups that can be restored')
    .action(async ({ from }: { from?: string }, command: Command) => {
      const { terminal, print } = open(command)
      const { readBackups } = await import('../../platform/backups/manifest.ts')
      const folder = await folderOf(loadConfig(terminal.environment), from)
      const { backups, damages } = await readBackups(folder)
      for (const { message } of damages) print.remark(message)
      const rows = backups.map(
        ({ files: _, directories: __, keys: ___, backup_label: ____, ...facts }) => facts,
      )
      print.list(rows, COLUMNS, { empty: `There are no backups in ${folder}.` })
    })

  backup
    .command('verify')
    .option('--from <folder>', 'the folder of the backups (CARILLON_BACKUP_DIR)')
    .option('--in <folder>', 'where to restore it for a while; the system’s temporary folder by default')
    .description('rehearse a restore of the newest backup, and look whether everything is there')
    .action(async (options: { from?: string; in?: string }, command: Command) => {
      const invocation = open(command)
      const { terminal, print } = invocation
      const { rehearseRestore } = await import('../../operations/backups/rehearse.ts')
      const config = loadConfig(terminal.environment)
      const rehearsal = await withRestoreProgress(invocation, async progress =>
        rehearseRestore({
          config,
          folder: await folderOf(config, options.from),
          passphrase: config.CARILLON_BACKUP_PASSPHRASE,
          inside: options.in,
          log: print.remark,
          ...progress,
        }),
      )
      const { backup_id, restored_to, rows, secrets, standing } = rehearsal
      const { green } = print.colors
      print.show(rehearsal, () =>
        [
          `${green('✓')} ${backup_id} was restored, up to ${restored_to ?? 'its own end'}`,
          `${green('✓')} ${rows.tenants ?? 0} tenants, ${rows.users ?? 0} people, ${rows.records ?? 0} notifications, ${rows.routes ?? 0} messages`,
          `${green('✓')} its master key opens ${secrets} secrets`,
          `${green('✓')} its schema is ${standing === 'current' ? 'that of this version' : standing}`,
        ].join('\n'),
      )
    })
}

async function makeNow({ terminal, print }: Invocation, config: Config) {
  const { borrowDatabase } = await import('../../platform/embedded-database/open.ts')
  const { backupFolder, makeBackup } = await import('../../operations/backups/make-backup.ts')
  backupFolder(config)
  const database = await borrowDatabase(config, print.remark)
  const progress = startProgress('backup', terminal, print)
  try {
    return await makeBackup(config, { ...database, cluster: database.cluster! }, progress.update)
  } finally {
    progress.stop()
    await database.close()
  }
}

export async function folderOf(config: Config, from?: string): Promise<string> {
  const { resolve } = await import('node:path')
  const { backupFolder } = await import('../../operations/backups/make-backup.ts')
  return from === undefined ? backupFolder(config) : resolve(from)
}

/** First the files, then the log. */
export async function withRestoreProgress<T>(
  { terminal, print }: Invocation,
  work: (progress: {
    onCopied: (done: number, total: number) => void
    onReplayed: (done: number, total: number) => void
  }) => Promise<T>,
): Promise<T> {
  const files = startProgress('files', terminal, print)
  const log = startProgress('log', terminal, print)
  try {
    return await work({
      onCopied(done, total) {
        files.update(done, total)
        if (done === total) files.stop()
      },
      onReplayed: log.update,
    })
  } finally {
    files.stop()
    log.stop()
  }
}

function inMegabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

interface ListedBackup {
  id: string
  started_at: string
  stopped_at: string
  timeline: number
  bytes: number
  stored_bytes: number
  carillon_version: string
}

const COLUMNS: Column<ListedBackup>[] = [
  { head: 'id', value: backup => backup.id, whole: true },
  { head: 'restorable from', value: backup => formatMoment(backup.stopped_at), whole: true },
  { head: 'size', value: backup => inMegabytes(backup.bytes) },
  { head: 'compressed', value: backup => inMegabytes(backup.stored_bytes), optional: true },
  { head: 'timeline', value: backup => backup.timeline, optional: true },
  { head: 'version', value: backup => backup.carillon_version, optional: true },
]
