/** `carillon migrate`: bring the database schema to this version, and back. */
import type { Command } from 'commander'
import { loadConfig } from '../../platform/config/config.ts'
import type { MigrationStatus } from '../../platform/database/migrate.ts'
import { type Invocation, type Open, positiveNumber } from '../invocation.ts'

export function addMigrate(program: Command, open: Open): void {
  const migrate = program.command('migrate').description('the schema of the database')

  migrate
    .command('up')
    .description('apply every pending migration and bring the functions; start does this by itself')
    .action(async (_options, command: Command) => {
      const invocation = open(command)
      const { migrateUp } = await import('../../platform/database/migrate.ts')
      const applied = await withDatabase(invocation, url => migrateUp(url))
      showNames(invocation, applied, 'applied', 'The database is up to date.')
    })

  migrate
    .command('down')
    .option('--count <n>', 'how many migrations, newest first', positiveNumber, 1)
    .description('undo migrations; what they added is lost')
    .action(async ({ count }: { count: number }, command: Command) => {
      const invocation = open(command)
      const { migrateDown } = await import('../../platform/database/migrate.ts')
      const undone = await withDatabase(invocation, url => migrateDown(url, count))
      showNames(invocation, undone, 'undone', 'There is nothing to undo.')
    })

  migrate
    .command('status')
    .description('which migrations are applied, and which version’s functions are there')
    .action(async (_options, command: Command) => {
      const invocation = open(command)
      const { migrationStatus } = await import('../../platform/database/migrate.ts')
      const status = await withDatabase(invocation, migrationStatus)
      const { green, yellow, red } = invocation.print.colors
      invocation.print.show(status, () =>
        [
          ...status.applied.map(name => `${green('✓')} ${name}`),
          ...status.pending.map(name => `${yellow('↻')} ${name} (pending)`),
          ...status.unknown.map(name => {
            const mark = status.standing === 'newer' ? green('✓') : red('✗')
            return `${mark} ${name} (applied by a newer Carillon)`
          }),
          releaseLine(status, invocation),
        ].join('\n'),
      )
    })
}

/** Which version's functions are in the database, and what this version makes of that. */
function releaseLine(status: MigrationStatus, { print }: Invocation): string {
  const { green, yellow, red } = print.colors
  const there = `release ${status.database_release}`
  const own = `release ${status.release}`
  switch (status.standing) {
    case 'current':
      return `${green('✓')} ${there}`
    case 'older':
      return `${yellow('↻')} ${own} (pending)`
    case 'newer':
      return `${green('✓')} ${there} (of a newer Carillon; this one, ${own}, works with it)`
    case 'too_new':
      return `${red('✗')} ${status.database_release === null ? 'unknown release' : there} (of a newer Carillon; this one, ${own}, does not work with it)`
  }
}

/** Imported when needed: commands that only use HTTP should not pay for loading the database code. */
async function withDatabase<T>(
  { terminal, print }: Invocation,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const { borrowDatabase } = await import('../../platform/embedded-database/open.ts')
  const database = await borrowDatabase(loadConfig(terminal.environment), print.remark)
  try {
    return await work(database.ownerUrl)
  } finally {
    await database.close()
  }
}

function showNames({ print }: Invocation, names: string[], done: string, nothing: string): void {
  const { green } = print.colors
  if (names.length === 0) print.remark(nothing)
  if (names.length > 0 || print.json) {
    print.show(names, () => names.map(name => `${green('✓')} ${name} ${done}`).join('\n'))
  }
}
