/** Brings the SQL functions of a version into the database, with their triggers. The caller owns the transaction. */
import { isDatabaseError } from './errors.ts'
import { MigrationError, reasonOf } from './migrations.ts'
import type { Connection } from './pool.ts'
import { hasReleases, type Source, type Version } from './release.ts'

/**
 * The comment on every function and trigger that Carillon wrote. Others may put their own into the schema, so only what
 * has it is ever dropped. It comes and goes with its object, and needs no table that a `migrate down` would take away.
 */
const MARK = 'Installed by Carillon.'

/** The entries for applications are never dropped: they carry their grants, and need no table in order to exist. */
const KEPT = `array['notify', 'emit_event']::name[]`

interface Installed {
  kind: 'function' | 'trigger'
  /** As `comment on` and `drop` want it. */
  name: string
  oid: string
  /** Changes whenever the object is written. */
  xmin: string
  is_security_definer: boolean
}

/**
 * Writes all functions and the release. Older ones stay as long as a process that calls them may run: they go when no
 * release since `compatible_since` wrote them.
 */
export async function replaceFunctions(client: Connection, version: Version): Promise<void> {
  const { number, compatible_since, hash } = version.release
  const written = await writeFunctions(client, version.functions)
  await drop(client, await signatures(client, STALE, [written, number, compatible_since]))
  await client.query(RECORD, [written, number, compatible_since, hash])
}

/** After a `migrate down` the functions are of no release: the next start, of whichever version, brings its own. */
export async function restoreFunctions(client: Connection, version: Version): Promise<void> {
  await writeFunctions(client, version.functions)
  if (await hasReleases(client)) await client.query('delete from carillon.releases')
}

/**
 * All but the entries for applications.
 * `everything` is for the way back to an empty schema.
 */
export async function dropFunctions(client: Connection, everything: boolean): Promise<void> {
  await drop(
    client,
    await signatures(client, everything ? INSTALLED : `${INSTALLED} and proname <> all (${KEPT})`),
  )
}

/** Gives the signatures of what was written. */
async function writeFunctions(client: Connection, sources: Source[]): Promise<string[]> {
  // Bodies name each other and later tables; they are checked when they run, and by the tests.
  await client.query('set local check_function_bodies = off')
  await lockTables(client, sources)
  const before = await present(client)
  for (const source of sources) await write(client, source)
  const after = await present(client)
  const written = after.filter(now => !before.some(then => isSame(now, then) && now.xmin === then.xmin))
  for (const { kind, name } of written) await client.query(`comment on ${kind} ${name} is '${MARK}'`)
  await closeToPublic(
    client,
    written.filter(now => !before.some(then => isSame(now, then))),
  )
  return written.filter(({ kind }) => kind === 'function').map(({ name }) => name)
}

/**
 * Writing a trigger locks its table. All of them are locked first, in the order in which they were created, which is that in
 * which processes at work write them (records, then routes). In the order of the files, under load, each try would meet
 * somebody who has the one table and wants the other, and give way.
 */
async function lockTables(client: Connection, sources: Source[]): Promise<void> {
  const names = sources.flatMap(({ text }) => [...text.matchAll(TRIGGER)].map(match => match[1]!))
  const { rows } = await client.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c
     where c.oid in (select to_regclass('carillon.' || name) from unnest($1::text[]) as t (name)) order by c.oid`,
    [names],
  )
  if (rows.length === 0) return
  await client.query(`lock ${rows.map(({ name }) => name).join(', ')} in share row exclusive mode`)
}

const TRIGGER = /create or replace trigger \w+\s[^;]*?\son carillon\.(\w+)/g

function isSame(one: Installed, other: Installed): boolean {
  return one.kind === other.kind && one.oid === other.oid
}

/** PostgreSQL lets everybody call a new function. Only new ones are closed: later, a grant to public is somebody's wish. */
async function closeToPublic(client: Connection, created: Installed[]): Promise<void> {
  for (const { name, is_security_definer } of created) {
    if (is_security_definer) await client.query(`revoke execute on function ${name} from public`)
  }
}

/** A function of another shape (columns, names of arguments) cannot be replaced, so it is dropped first. */
async function write(client: Connection, { file, text }: Source): Promise<void> {
  await client.query('savepoint before_file')
  try {
    await client.query(text).catch(async error => {
      if (!isDatabaseError(error, 'invalid_function_definition')) throw error
      await client.query('rollback to savepoint before_file')
      const names = [...text.matchAll(/function carillon\.(\w+)/g)].map(match => match[1]!)
      await drop(
        client,
        await signatures(client, `${INSTALLED} and proname = any ($1) and proname <> all (${KEPT})`, [names]),
      )
      await client.query(text)
    })
  } catch (error) {
    throw new MigrationError(`functions/${file} cannot be written: ${reasonOf(error)}`, error)
  }
  await client.query('release savepoint before_file')
}

/** Together with the triggers that call them. What others made to depend on them is not dropped but refused, by name. */
async function drop(client: Connection, functions: string[]): Promise<void> {
  if (functions.length === 0) return
  const { rows } = await client.query<{ name: string }>(
    `select format('%I on %s', t.tgname, t.tgrelid::regclass) as name from pg_trigger t
     where t.tgfoid::regprocedure::text = any ($1) and obj_description(t.oid, 'pg_trigger') = '${MARK}'`,
    [functions],
  )
  for (const { name } of rows) await client.query(`drop trigger ${name}`)
  await client.query(`drop function ${functions.join(', ')}`)
}

async function signatures(client: Connection, text: string, values: unknown[] = []): Promise<string[]> {
  return (await client.query<{ signature: string }>(text, values)).rows.map(row => row.signature)
}

async function present(client: Connection): Promise<Installed[]> {
  return (await client.query<Installed>(PRESENT)).rows
}

const PRESENT = `
  select 'function' as kind, oid::regprocedure::text as name, oid::text, xmin::text, prosecdef as is_security_definer
  from pg_proc where pronamespace = 'carillon'::regnamespace
  union all
  select 'trigger', format('%I on %s', t.tgname, t.tgrelid::regclass), t.oid::text, t.xmin::text, false
  from pg_trigger t join pg_class c on c.oid = t.tgrelid
  where c.relnamespace = 'carillon'::regnamespace and not t.tgisinternal`

const INSTALLED = `
  select oid::regprocedure::text as signature from pg_proc
  where pronamespace = 'carillon'::regnamespace and obj_description(oid, 'pg_proc') = '${MARK}'`

/** What no compatible release wrote. */
const STALE = `
  with installed as (${INSTALLED})
  select i.signature from installed i
  where i.signature <> all ($1) and not exists (
    select from carillon.releases r
    where i.signature = any (r.functions) and r.number >= $3 and r.number <> $2
  )`

const RECORD = `
  insert into carillon.releases (functions, number, compatible_since, hash) values ($1, $2, $3, $4)
  on conflict (number) do update
  set compatible_since = excluded.compatible_since, hash = excluded.hash, functions = excluded.functions, created_at = now()`
