/** Brings the SQL functions of a version into the database. */
import { isDatabaseError } from './errors.ts'
import type { Connection } from './pool.ts'
import { hasReleases, type Source, type Version } from './release.ts'

/**
 * Writes all functions and the release in one transaction. Older ones stay as long as a process that calls them may run:
 * they go when no release since `compatible_since` wrote them.
 */
export async function replaceFunctions(client: Connection, version: Version): Promise<void> {
  const inTheWay: string[] = []
  for (;;) {
    try {
      return await replaceAll(client, version, inTheWay)
    } catch (error) {
      if (!(error instanceof Unreplaceable)) throw error
      // notify() carries the grants of applications and is never dropped; what was dropped already has another fault.
      const names = error.names.filter(name => name !== 'notify' && !inTheWay.includes(name))
      if (names.length === 0) throw error.cause
      inTheWay.push(...names)
    }
  }
}

/** After a `migrate down` the functions are of no release: the next start, of whichever version, brings its own. */
export async function restoreFunctions(client: Connection, version: Version): Promise<void> {
  await inTransaction(client, async () => {
    await writeFunctions(client, version.functions)
    if (await hasReleases(client)) await client.query('delete from carillon.releases')
  })
}

/**
 * All but notify(), which needs no table in order to exist and carries the grants of applications.
 * `everything` is for the way back to an empty schema.
 */
export async function dropFunctions(client: Connection, everything = false): Promise<void> {
  const { rows } = await client.query<{ signature: string }>(
    `select p.oid::regprocedure::text as signature from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where n.nspname = 'carillon' and (p.proname <> 'notify' or $1)`,
    [everything],
  )
  for (const { signature } of rows) await client.query(`drop function ${signature} cascade`)
}

/** A function of a database without releases may have had other columns or names of arguments. */
class Unreplaceable extends Error {
  readonly names: string[]

  constructor(names: string[], cause: Error) {
    super(cause.message, { cause })
    this.names = names
  }
}

async function replaceAll(client: Connection, version: Version, inTheWay: string[]): Promise<void> {
  const { number, compatible_since, hash } = version.release
  await inTransaction(client, async () => {
    for (const name of inTheWay) await drop(client, await signaturesOf(client, name))
    await writeFunctions(client, version.functions)
    await drop(client, (await client.query<{ signature: string }>(STALE, [number, compatible_since])).rows)
    await client.query(RECORD, [number, compatible_since, hash])
  })
}

async function writeFunctions(client: Connection, sources: Source[]): Promise<void> {
  // Bodies name each other and later tables; they are checked when they run, and by the tests.
  await client.query('set local check_function_bodies = off')
  for (const { text } of sources) {
    try {
      await client.query(text)
    } catch (error) {
      if (!isDatabaseError(error, 'invalid_function_definition')) throw error
      throw new Unreplaceable(
        [...text.matchAll(/function carillon\.(\w+)/g)].map(match => match[1]!),
        error,
      )
    }
  }
}

async function signaturesOf(client: Connection, name: string): Promise<{ signature: string }[]> {
  const { rows } = await client.query<{ signature: string }>(
    `select oid::regprocedure::text as signature from pg_proc
     where pronamespace = 'carillon'::regnamespace and proname = $1`,
    [name],
  )
  return rows
}

async function drop(client: Connection, functions: { signature: string }[]): Promise<void> {
  for (const { signature } of functions) await client.query(`drop function ${signature}`)
}

const WRITTEN = 'xmin::text::bigint = pg_current_xact_id()::text::bigint % 4294967296'

/**
 * What no compatible release wrote. What an administrator put into the schema is in no release and stays; before the
 * first release nobody can tell, and everything goes that this one does not know.
 */
const STALE = `
  with present as (
    select oid::regprocedure::text as signature from pg_proc
    where pronamespace = 'carillon'::regnamespace and not ${WRITTEN}
  )
  select p.signature from present p
  where (not exists (select from carillon.releases)
      or exists (select from carillon.releases r where p.signature = any (r.functions)))
    and not exists (
      select from carillon.releases r
      where p.signature = any (r.functions) and r.number >= $2 and r.number <> $1
    )`

const RECORD = `
  insert into carillon.releases (number, compatible_since, hash, functions)
  select $1, $2, $3, array(
    select oid::regprocedure::text from pg_proc where pronamespace = 'carillon'::regnamespace and ${WRITTEN} order by 1
  )
  on conflict (number) do update
  set compatible_since = excluded.compatible_since, hash = excluded.hash, functions = excluded.functions, created_at = now()`

async function inTransaction(client: Connection, work: () => Promise<void>): Promise<void> {
  await client.query('begin')
  try {
    await work()
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}
