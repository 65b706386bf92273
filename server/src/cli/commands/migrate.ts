/** `carillon migrate`: bring the database schema to this version, and back. */
import type { Command } from 'commander'
import { loadConfig } from '../../platform/config/config.ts'
import type { MigrationStatus } from '../../platform/database/migrate.ts'
import type { NewPasswords } from '../../platform/database/prepare-roles.ts'
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
    .option('--everything', 'also the baseline, and with it all data of all tenants')
    .description('undo migrations; what they added is lost')
    .action(async ({ count, everything }: { count: number; everything?: boolean }, command: Command) => {
      const invocation = open(command)
      const { migrateDown, migrationStatus } = await import('../../platform/database/migrate.ts')
      const undone = await withDatabase(invocation, async url => {
        const { applied } = await migrationStatus(url)
        if (everything !== true && applied.length > 0 && count >= applied.length)
          throw new Error(
            `This would undo ${applied[0]} too, and with it delete everything that Carillon has. If you mean that, say --everything.`,
          )
        return migrateDown(url, count)
      })
      showNames(invocation, undone, 'undone', 'There is nothing to undo.')
    })

  migrate
    .command('roles')
    .option('--print', 'only print the SQL, for an administrator')
    .description(
      'create the roles carillon_owner, carillon_app and carillon_reader, and give each its rights',
    )
    .action(async ({ print: isPrint }: { print?: boolean }, command: Command) => {
      const invocation = open(command)
      const { prepareRoles, rolesScript } = await import('../../platform/database/prepare-roles.ts')
      if (isPrint) return invocation.print.show({ sql: rolesScript() }, rolesScript)
      if (loadConfig(invocation.terminal.environment).DATABASE_URL === '')
        throw new Error(
          'The embedded database has these roles already; this is for the server of DATABASE_URL.',
        )
      const created = await withDatabase(invocation, url => prepareRoles(url, invocation.print.remark))
      showRoles(invocation, created)
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

/** The passwords are shown once, and stored nowhere. */
function showRoles({ print }: Invocation, created: NewPasswords): void {
  const names = Object.entries(created)
  if (names.length === 0) print.remark('The roles were there; their rights are as they should be.')
  else print.remark('These passwords are shown only now:')
  if (names.length > 0 || print.json)
    print.show(created, () => names.map(([role, password]) => `${role}  ${password}`).join('\n'))
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
