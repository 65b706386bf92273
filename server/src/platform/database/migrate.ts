/** Brings a database to this version's schema and back: numbered migrations, then the functions as they stand. */
import { setTimeout as pause } from 'node:timers/promises'
import { PG_MIGRATE_LOCK_ID, runner } from 'node-pg-migrate'
import { isDatabaseError } from './errors.ts'
import { dropFunctions, replaceFunctions, restoreFunctions } from './functions.ts'
import { type Connection, createClient } from './pool.ts'
import {
  type DatabaseState,
  readState,
  readVersion,
  type Standing,
  standingOf,
  unknownMigrations,
  type Version,
} from './release.ts'

type Log = (line: string) => void

export interface MigrationStatus {
  applied: string[]
  pending: string[]
  /** Applied by a newer Carillon than this one. */
  unknown: string[]
  /** The number of this version's release. */
  release: number
  /** The newest release that was brought into the database; null before the first. */
  database_release: number | null
  standing: Standing
}

/** The database belongs to a newer version; going on could damage it. */
export class NewerDatabaseError extends Error {}

/** Shorter than PostgreSQL's own look for deadlocks (1 s): when an upgrade and a process block each other, we give way. */
const LOCK_TIMEOUT_MS = 500
const BEFORE_NEXT_TRY_MS = 200

/** Nothing is locked when there is nothing to do, which is how most processes start. */
export async function migrateUp(url: string, log: Log = () => {}, folder?: string): Promise<string[]> {
  const version = await readVersion(folder)
  return withClient(url, async client => {
    if (canStart(version, await readState(client), log)) return []
    return alone(client, async () => {
      // Whoever was migrating while we waited may have brought it, or have said that we can work with it.
      const state = await readState(client)
      if (canStart(version, state, log)) return []
      if (standingOf(version, state) === 'too_new') throw new NewerDatabaseError(refusalOf(version, state))
      await client.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`)
      await patiently(log, () => run(client, version, 'up', Number.POSITIVE_INFINITY, log))
      await patiently(log, () => replaceFunctions(client, version))
      return (await readState(client)).applied.filter(name => !state.applied.includes(name))
    })
  })
}

/** Undoes the newest `count` migrations. Functions are dropped first: they may use what is about to go. */
export async function migrateDown(
  url: string,
  count = 1,
  log: Log = () => {},
  folder?: string,
): Promise<string[]> {
  const version = await readVersion(folder)
  return withClient(url, client =>
    alone(client, async () => {
      const state = await readState(client)
      const standing = standingOf(version, state)
      if (standing === 'newer' || standing === 'too_new') {
        throw new NewerDatabaseError(
          `The database was migrated by a newer Carillon${named(unknownMigrations(version, state))}. Only that version can go back.`,
        )
      }
      await dropFunctions(client)
      try {
        return await run(client, version, 'down', count, log)
      } finally {
        // Also when it failed: the tables that are left need them.
        if ((await readState(client)).applied.length > 0) await restoreFunctions(client, version)
        else await dropFunctions(client, true)
      }
    }),
  )
}

export async function migrationStatus(url: string, folder?: string): Promise<MigrationStatus> {
  const version = await readVersion(folder)
  const state = await withClient(url, readState)
  return {
    applied: state.applied.filter(name => version.migrations.includes(name)),
    pending: version.migrations.filter(name => !state.applied.includes(name)),
    unknown: unknownMigrations(version, state),
    release: version.release.number,
    database_release: state.release?.number ?? null,
    standing: standingOf(version, state),
  }
}

/** With nothing to bring. */
function canStart(version: Version, state: DatabaseState, log: Log): boolean {
  const standing = standingOf(version, state)
  if (standing === 'newer') {
    const [there, own] = [state.release!.number, version.release.number]
    log(`nothing: release ${there} of a newer Carillon is here, and this one, release ${own}, works with it`)
  }
  return standing === 'current' || standing === 'newer'
}

/** An operator reads this when an old process does not come back; it says both ways out. */
function refusalOf(version: Version, state: DatabaseState): string {
  const unknown = unknownMigrations(version, state)
  const { release } = state
  const why =
    release !== undefined && release.number > version.release.number
      ? `It is at release ${release.number}, which works with processes of release ${release.compatible_since} and newer; this one is release ${version.release.number}. `
      : ''
  const count = unknown.length > 1 ? ` --count ${unknown.length}` : ''
  return `The database was migrated by a newer Carillon${named(unknown)}. ${why}Start that version, or go back with its "carillon migrate down${count}".`
}

function named(migrations: string[]): string {
  return migrations.length === 0 ? '' : ` (${migrations.join(', ')})`
}

async function run(
  client: Connection,
  { folder }: Version,
  direction: 'up' | 'down',
  count: number,
  log: Log,
): Promise<string[]> {
  try {
    const migrations = await runner({
      dbClient: client,
      dir: `${folder}/migrations`,
      direction,
      count,
      migrationsTable: 'pgmigrations',
      migrationsSchema: 'carillon',
      createMigrationsSchema: true,
      schema: 'carillon',
      createSchema: true,
      // The caller holds the lock already.
      noLock: true,
      logger: { debug: () => {}, info: () => {}, warn: log, error: log },
    })
    for (const migration of migrations) log(`${direction} ${migration.name}`)
    return migrations.map(migration => migration.name)
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

/** Several processes starting at once wait for the one that migrates. The lock is the library's own. */
async function alone<T>(client: Connection, work: () => Promise<T>): Promise<T> {
  await client.query(`select pg_advisory_lock(${PG_MIGRATE_LOCK_ID})`)
  try {
    return await work()
  } finally {
    await client.query(`select pg_advisory_unlock(${PG_MIGRATE_LOCK_ID})`).catch(() => {})
  }
}

/**
 * Whoever waits for a lock on a busy table makes everybody behind it wait as well. So we wait a moment, let the others
 * pass, and come again.
 */
async function patiently<T>(log: Log, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!isDatabaseError(error, 'lock_not_available', 'deadlock_detected')) throw error
      if (tries === 1) log('waiting for a transaction that uses what is to be changed')
      await pause(BEFORE_NEXT_TRY_MS)
    }
  }
}

async function withClient<T>(url: string, work: (client: Connection) => Promise<T>): Promise<T> {
  const client = createClient(url)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
