/** Brings a database to this version's schema and back: numbered migrations, then the functions as they stand. */
import { isDatabaseError, isUnavailableError } from './errors.ts'
import { dropFunctions, replaceFunctions, restoreFunctions } from './functions.ts'
import { applyOutside } from './migration-outside.ts'
import { alone, type Log, patiently, untilNobodyIsInTheWay, withSession } from './migration-session.ts'
import { applyMigration, prepareLedger, readMigration, reasonOf, undoMigration } from './migrations.ts'
import type { Connection } from './pool.ts'
import {
  type DatabaseState,
  readState,
  readVersion,
  type Standing,
  standingOf,
  unknownMigrations,
  type Version,
} from './release.ts'

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

/** The database belongs to another version; going on could damage it. */
export class NewerDatabaseError extends Error {}

/** Nothing is locked when there is nothing to do, which is how most processes start. */
export async function migrateUp(url: string, log: Log = () => {}, folder?: string): Promise<string[]> {
  const version = await readVersion(folder)
  return withSession(url, async client => {
    if (canStart(version, await readState(client), log)) return []
    return alone(client, log, async () => {
      // Whoever was migrating while we waited may have brought it, or have said that we can work with it.
      const state = await readState(client)
      if (canStart(version, state, log)) return []
      if (standingOf(version, state) === 'too_new') throw new NewerDatabaseError(refusalOf(version, state))
      return bring(client, version, state, log)
    })
  })
}

/** Undoes the newest `count` migrations, all of them or none. */
export async function migrateDown(
  url: string,
  count = 1,
  log: Log = () => {},
  folder?: string,
): Promise<string[]> {
  const version = await readVersion(folder)
  return withSession(url, client =>
    alone(client, log, async () => {
      const state = await readState(client)
      const standing = standingOf(version, state)
      if (isBeforeBaseline(version, state)) throw new NewerDatabaseError(refusalOf(version, state))
      if (standing === 'newer' || standing === 'too_new') {
        throw new NewerDatabaseError(
          `The database was migrated by a newer Carillon${named(unknownMigrations(version, state))}. Only that version can go back.`,
        )
      }
      const names = state.applied.slice(-count).reverse()
      if (names.length === 0) return []
      const isAll = names.length === state.applied.length
      await patiently(client, log, () => undo(client, version, names, isAll)).catch(error => {
        throw explained(error, 'Nothing was undone', 'run "carillon migrate down" again')
      })
      for (const name of names) log(`down ${name}`)
      return names
    }),
  )
}

export async function migrationStatus(url: string, folder?: string): Promise<MigrationStatus> {
  const version = await readVersion(folder)
  const state = await withSession(url, readState)
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

/** Its own "migrate down" would delete everything and lead nowhere, so nobody is told to run it. */
const REFUSAL_BEFORE_BASELINE =
  'The database is of a Carillon from before 0.1.0, which cannot be upgraded. Nothing was changed: start the version that it is of, or give this one another database.'

/** An operator reads this when an old process does not come back; it says both ways out. */
function refusalOf(version: Version, state: DatabaseState): string {
  if (isBeforeBaseline(version, state)) return REFUSAL_BEFORE_BASELINE
  const unknown = unknownMigrations(version, state)
  const { release } = state
  const why =
    release !== undefined && release.number > version.release.number
      ? `It is at release ${release.number}, which works with processes of release ${release.compatible_since} and newer; this one is release ${version.release.number}. `
      : ''
  const count = unknown.length > 1 ? ` --count ${unknown.length}` : ''
  return `The database was migrated by a newer Carillon${named(unknown)}. ${why}Start that version, or go back with its "carillon migrate down${count}".`
}

/** The ledger begins with something else than ours, whatever number its release has. */
function isBeforeBaseline({ migrations: [baseline = ''] }: Version, { applied }: DatabaseState): boolean {
  return applied.length > 0 && !applied.includes(baseline)
}

function named(migrations: string[]): string {
  return migrations.length === 0 ? '' : ` (${migrations.join(', ')})`
}

/**
 * Each migration is a transaction of its own: the fewer tables are locked at a time, the better for those at work. One that
 * says so runs outside, statement by statement.
 */
async function bring(
  client: Connection,
  version: Version,
  { applied }: DatabaseState,
  log: Log,
): Promise<string[]> {
  const pending = version.migrations.filter(name => !applied.includes(name))
  const later = applied.find(name => pending.some(earlier => earlier < name))
  if (later !== undefined) {
    throw new Error(`The database has ${later} already, and ${pending[0]} should have come before it.`)
  }
  await patiently(client, log, () => prepareLedger(client))
  for (const name of pending) {
    const migration = await readMigration(version.folder, name)
    await (migration.isOutside
      ? untilNobodyIsInTheWay(log, () => applyOutside(client, migration))
      : patiently(client, log, () => applyMigration(client, migration)))
    log(`up ${name}`)
  }
  await patiently(client, log, () => replaceFunctions(client, version)).catch(error => {
    throw explained(error, 'The functions of this version were not brought', 'start again')
  })
  return pending
}

/** Functions are dropped first: they may use what is about to go. */
async function undo(client: Connection, version: Version, names: string[], isAll: boolean): Promise<void> {
  await dropFunctions(client, isAll)
  for (const name of names) await undoMigration(client, await readMigration(version.folder, name))
  if (!isAll) await restoreFunctions(client, version)
}

/** What PostgreSQL refused, and what to do about it. Of a lost connection nobody knows how far it got. */
function explained(error: unknown, what: string, next: string): unknown {
  if (!isDatabaseError(error) || isUnavailableError(error)) return error
  const advice = isDatabaseError(error, 'dependent_objects_still_exist')
    ? `Carillon drops only what it installed itself. Drop what is named here, ${next}, and create it anew afterwards.`
    : `The cause has to be mended first; then ${next}.`
  return new Error(`${what}: ${reasonOf(error)}. ${advice}`, { cause: error })
}
