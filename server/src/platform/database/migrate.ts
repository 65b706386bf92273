/** Brings a database to this version's schema and back: numbered migrations, then the functions as they stand. */
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { runner } from 'node-pg-migrate'
import { createClient } from './pool.ts'

const MIGRATIONS = fileURLToPath(new URL('../../../migrations', import.meta.url))
const FUNCTIONS = fileURLToPath(new URL('../../../functions', import.meta.url))

export interface MigrationStatus {
  applied: string[]
  pending: string[]
  /** Applied by a newer Carillon than this one. */
  unknown: string[]
}

/** The database belongs to a newer version; going on could damage it. */
export class NewerDatabaseError extends Error {}

export async function migrateUp(url: string, log: (line: string) => void = () => {}): Promise<string[]> {
  const { unknown } = await migrationStatus(url)
  if (unknown.length > 0) {
    throw new NewerDatabaseError(
      `The database was migrated by a newer Carillon (${unknown.join(', ')}). Start that version, or go back with its "carillon migrate down".`,
    )
  }
  const applied = await run(url, 'up', Number.POSITIVE_INFINITY, log)
  await replaceFunctions(url)
  return applied
}

/** Undoes the newest `count` migrations. Functions are dropped first: they may use what is about to go. */
export async function migrateDown(
  url: string,
  count = 1,
  log: (line: string) => void = () => {},
): Promise<string[]> {
  await dropFunctions(url)
  try {
    return await run(url, 'down', count, log)
  } finally {
    // Also when it failed: the tables that are left need them.
    if ((await migrationStatus(url)).applied.length > 0) await replaceFunctions(url)
  }
}

export async function migrationStatus(url: string): Promise<MigrationStatus> {
  const files = (await sqlFiles(MIGRATIONS)).map(file => file.replace(/\.sql$/, ''))
  return withClient(url, async client => {
    const ledger = await client.query<{ present: boolean }>(
      "select to_regclass('carillon.pgmigrations') is not null as present",
    )
    const applied = ledger.rows[0]?.present
      ? (await client.query<{ name: string }>('select name from carillon.pgmigrations order by id')).rows.map(
          row => row.name,
        )
      : []
    return {
      applied: applied.filter(name => files.includes(name)),
      pending: files.filter(name => !applied.includes(name)),
      unknown: applied.filter(name => !files.includes(name)),
    }
  })
}

async function run(
  url: string,
  direction: 'up' | 'down',
  count: number,
  log: (line: string) => void,
): Promise<string[]> {
  const migrations = await runner({
    databaseUrl: url,
    dir: MIGRATIONS,
    direction,
    count,
    migrationsTable: 'pgmigrations',
    migrationsSchema: 'carillon',
    createMigrationsSchema: true,
    schema: 'carillon',
    createSchema: true,
    // Several processes starting at once wait for the one that migrates.
    advisoryLockMode: 'wait',
    logger: { debug: () => {}, info: () => {}, warn: log, error: log },
  })
  for (const migration of migrations) log(`${direction} ${migration.name}`)
  return migrations.map(migration => migration.name)
}

/** Functions are written once, as they are now; a migration never repeats their text. */
async function replaceFunctions(url: string): Promise<void> {
  const sources = await Promise.all(
    (await sqlFiles(FUNCTIONS)).map(file => readFile(`${FUNCTIONS}/${file}`, 'utf8')),
  )
  await withClient(url, async client => {
    await client.query('begin')
    await client.query("select pg_advisory_xact_lock(hashtextextended('carillon functions', 0))")
    // Bodies name each other and later tables; they are checked when they run, and by the tests.
    await client.query('set local check_function_bodies = off')
    for (const source of sources) await client.query(source)
    // What this transaction did not write is of an older version; beside a newer overload it would make calls ambiguous.
    const stale = await client.query<{ signature: string }>(
      `select oid::regprocedure::text as signature from pg_proc where pronamespace = 'carillon'::regnamespace
       and xmin::text::bigint <> pg_current_xact_id()::text::bigint % 4294967296`,
    )
    for (const { signature } of stale.rows) await client.query(`drop function ${signature}`)
    await client.query('commit')
  })
}

async function dropFunctions(url: string): Promise<void> {
  await withClient(url, async client => {
    const { rows } = await client.query<{ signature: string }>(
      `select p.oid::regprocedure::text as signature from pg_proc p join pg_namespace n on n.oid = p.pronamespace
       where n.nspname = 'carillon'`,
    )
    for (const { signature } of rows) await client.query(`drop function ${signature} cascade`)
  })
}

async function sqlFiles(folder: string): Promise<string[]> {
  return (await readdir(folder, { recursive: true })).filter(file => file.endsWith('.sql')).sort()
}

async function withClient<T>(
  url: string,
  work: (client: ReturnType<typeof createClient>) => Promise<T>,
): Promise<T> {
  const client = createClient(url)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
