/** What this version brings to a database, and how that stands to what is already there. */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Executor } from './pool.ts'

/** The folder with migrations/, functions/ and release.json. */
export const OWN_FOLDER = fileURLToPath(new URL('../../..', import.meta.url))

export interface Release {
  /** Grows with every change of a migration or function: `npm run db:dump` counts up server/release.json. */
  number: number
  /** The oldest release whose processes work with what this one brings. */
  compatible_since: number
  hash: string
}

export interface Source {
  file: string
  text: string
}

export interface Sources {
  functions: Source[]
  migrations: Source[]
}

export interface Version {
  folder: string
  release: Release
  migrations: string[]
  functions: Source[]
}

export interface DatabaseState {
  /** The newest one brought; undefined before the first, and after a `migrate down`. */
  release: Release | undefined
  applied: string[]
}

/**
 * The database, seen from this version. `older`: this version brings something. `newer`: a newer one has been here, and
 * this version can work with that. `too_new`: it cannot.
 */
export type Standing = 'current' | 'older' | 'newer' | 'too_new'

export function standingOf(version: Version, database: DatabaseState): Standing {
  const own = version.release
  const there = database.release
  const isMissingSome = version.migrations.some(name => !database.applied.includes(name))
  const hasUnknown = unknownMigrations(version, database).length > 0
  if (there !== undefined && there.number > own.number) {
    return there.compatible_since <= own.number && !isMissingSome ? 'newer' : 'too_new'
  }
  // Whoever applied them died before saying what they go along with.
  if (hasUnknown) return 'too_new'
  // Between two releases a developer's tree has the number of the last one and other functions.
  const isSame = there?.number === own.number && there.hash === own.hash
  return isSame && !isMissingSome ? 'current' : 'older'
}

export function unknownMigrations(version: Version, { applied }: DatabaseState): string[] {
  return applied.filter(name => !version.migrations.includes(name))
}

export async function readState(client: Executor): Promise<DatabaseState> {
  const ledger = await client.query<{ present: boolean }>(
    "select to_regclass('carillon.pgmigrations') is not null as present",
  )
  if (!ledger.rows[0]!.present) return { applied: [], release: undefined }
  const applied = await client.query<{ name: string }>('select name from carillon.pgmigrations order by id')
  const newest = (await hasReleases(client))
    ? await client.query<Release>(
        'select number, compatible_since, hash from carillon.releases order by number desc limit 1',
      )
    : undefined
  return { applied: applied.rows.map(row => row.name), release: newest?.rows[0] }
}

export async function hasReleases(client: Executor): Promise<boolean> {
  const { rows } = await client.query<{ present: boolean }>(
    "select to_regclass('carillon.releases') is not null as present",
  )
  return rows[0]!.present
}

export async function readVersion(folder = OWN_FOLDER): Promise<Version> {
  const sources = await readSources(folder)
  const { number, compatible_since } = JSON.parse(await readFile(`${folder}/release.json`, 'utf8'))
  return {
    folder,
    release: { number, compatible_since, hash: hashOf(sources) },
    migrations: sources.migrations.map(({ file }) => file.replace(/\.sql$/, '')),
    functions: sources.functions,
  }
}

export async function readSources(folder: string): Promise<Sources> {
  return {
    functions: await readSql(`${folder}/functions`),
    migrations: await readSql(`${folder}/migrations`),
  }
}

export function hashOf({ functions, migrations }: Sources): string {
  const parts = [...functions, ...migrations].map(({ file, text }) => [file, text])
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

async function readSql(folder: string): Promise<Source[]> {
  const files = (await readdir(folder, { recursive: true })).filter(file => file.endsWith('.sql')).sort()
  return Promise.all(files.map(async file => ({ file, text: await readFile(`${folder}/${file}`, 'utf8') })))
}
