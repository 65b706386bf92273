/** `carillon restore`: an instance as it was at a point in time, and what becomes of the work that was due then. */
import { type Command, InvalidArgumentError } from 'commander'
import type { HeldRestore } from '../../operations/restores/restores.ts'
import { loadConfig } from '../../platform/config/config.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { type Invocation, type Open, positiveNumber } from '../invocation.ts'
import { renderFields } from '../output/fields.ts'
import { formatMoment } from '../output/times.ts'
import { folderOf, withRestoreProgress } from './backup.ts'

interface RestoreFlags {
  to?: Date | 'latest'
  from?: string
  dataDir?: string
  timeline?: number
}

export function addRestore(program: Command, open: Open): void {
  const restore = program
    .command('restore')
    .option('--to <time>', 'the point in time, such as 2026-03-01T12:00:00Z, or "latest"', parseTarget)
    .option('--from <folder>', 'the folder of the backups (CARILLON_BACKUP_DIR)')
    .option('--data-dir <folder>', 'a new folder for the restored instance')
    .option(
      '--timeline <number>',
      'after several restores: the one to follow, instead of the newest',
      positiveNumber,
    )
    .description('make an instance from a backup; it sends nothing until you release or discard what was due')
    .action(async (flags: RestoreFlags, command: Command) => {
      if (flags.to === undefined || flags.dataDir === undefined)
        command.error('error: --to and --data-dir are needed')
      const invocation = open(command)
      const restored = await restoreNow(invocation, flags as Required<RestoreFlags>)
      show(invocation, restored.held, {
        backup_id: restored.backup.id,
        data_dir: flags.dataDir!,
      })
      invocation.print.remark(NEXT(flags.dataDir!))
    })

  restore
    .command('status')
    .description('what was due when this instance was restored, and waits for a decision')
    .action(async (_options, command: Command) => {
      const invocation = open(command)
      const { findHeldRestore } = await import('../../operations/restores/restores.ts')
      const held = await withPool(invocation, findHeldRestore)
      if (held === undefined) {
        invocation.print.show(null, () => 'Nothing is held back: this instance is at work.')
        return
      }
      show(invocation, held, {})
    })

  restore
    .command('hold')
    .description('for a database that was restored by other means: hold everything back before it is started')
    .action(async (_options, command: Command) => {
      const invocation = open(command)
      const { holdInstance } = await import('../../operations/restores/restores.ts')
      const { migrateUp } = await import('../../platform/database/migrate.ts')
      const held = await withPool(invocation, async (pool, ownerUrl) => {
        await migrateUp(ownerUrl)
        return holdInstance(pool, { backup_id: '', restored_to: null })
      })
      show(invocation, held, {})
    })

  restore
    .command('release')
    .description('send everything that was due; what the old instance had sent already is sent again')
    .action(async (_options, command: Command) => {
      const invocation = open(command)
      const { releaseInstance } = await import('../../operations/restores/restores.ts')
      show(invocation, await withPool(invocation, releaseInstance), { decision: 'released' })
    })

  restore
    .command('discard')
    .description('send nothing of what was due; what comes later is sent')
    .action(async (_options, command: Command) => {
      const invocation = open(command)
      const { discardHeldWork } = await import('../../operations/restores/restores.ts')
      show(invocation, await withPool(invocation, discardHeldWork), { decision: 'discarded' })
    })
}

async function restoreNow(invocation: Invocation, { to, from, dataDir, timeline }: Required<RestoreFlags>) {
  const { terminal, print } = invocation
  const { restoreInstance } = await import('../../operations/backups/restore-instance.ts')
  const config = loadConfig(terminal.environment)
  const folder = await folderOf(config, from)
  return withRestoreProgress(invocation, progress =>
    restoreInstance({
      folder,
      target: to,
      timeline,
      dataDir,
      passphrase: config.CARILLON_BACKUP_PASSPHRASE,
      log: print.remark,
      ...progress,
    }),
  )
}

async function withPool<T>(
  { terminal, print }: Invocation,
  work: (pool: Pool, ownerUrl: string) => Promise<T>,
): Promise<T> {
  const { borrowDatabase } = await import('../../platform/embedded-database/open.ts')
  const { createPool } = await import('../../platform/database/pool.ts')
  const database = await borrowDatabase(loadConfig(terminal.environment), print.remark)
  const pool = createPool(database.url)
  try {
    return await work(pool, database.ownerUrl)
  } finally {
    await pool.end()
    await database.close()
  }
}

function show({ print }: Invocation, held: HeldRestore, more: Record<string, string>): void {
  const { work, restored_to, restored_at } = held
  print.show({ ...more, restored_to, restored_at, work }, () =>
    renderFields(
      [
        ...Object.entries(more).map(([name, value]): [string, string] => [name.replace('_', ' '), value]),
        ['restored to', formatMoment(restored_to?.toISOString() ?? null)],
        ['restored at', formatMoment(restored_at.toISOString())],
        [
          'messages due',
          Object.entries(work.routes)
            .map(([channel, count]) => `${count} ${channel}`)
            .join(', ') || '0',
        ],
        ['webhooks and runs due', String(work.outbox)],
        ['audiences unfinished', String(work.expansions)],
        ['events unread', String(work.events)],
      ],
      print.colors,
    ),
  )
}

const NEXT = (dataDir: string) => `
Start it with CARILLON_DATA_DIR=${dataDir}. It accepts notifications, and sends nothing yet: what was due may have been
sent by the instance that is gone. Then decide:
  carillon restore discard   nothing of what was due is sent
  carillon restore release   everything that was due is sent, possibly for the second time`

function parseTarget(given: string): Date | 'latest' {
  if (given === 'latest') return given
  const time = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:?\d\d)$/.test(given)
    ? new Date(given)
    : undefined
  if (time === undefined || Number.isNaN(time.getTime()))
    throw new InvalidArgumentError(
      'Expected a time with its offset, such as 2026-03-01T12:00:00Z, at most to the millisecond, or "latest".',
    )
  return time
}
