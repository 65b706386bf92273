/**
 * The test files of a process take turns with one instance. Making it takes half a second of processor time, and its
 * connections have planned their statements; so its database is emptied after each file instead of being made anew.
 */
import type { Pool } from '../src/platform/database/pool.ts'
import { createInstance, type Instance } from './instance.ts'

/** What every database of this version has, and what a file leaves behind if it changes more than rows. */
interface Standing {
  instance: Instance
  objects: string
  /** Tables that the migrations fill. */
  filled: string[]
  /** Statements that set each sequence to where it stood. */
  sequences: string[]
}

let standing: Standing | undefined
let isTaken = false

/** The instance of this process with an empty database; undefined while another part of the same file has it. */
export async function takeShared(): Promise<Instance | undefined> {
  if (isTaken) return undefined
  isTaken = true
  standing ??= await stand()
  const { instance } = standing
  instance.limitClock.ms = Date.now()
  instance.signals.due = 0
  return instance
}

/** Another file may have it. One whose database cannot be brought back to what it was is given up. */
export async function giveBackShared(): Promise<void> {
  const { instance, objects, filled, sequences } = standing!
  const { pool } = instance.database
  try {
    instance.providers.check()
    await empty(pool, filled, sequences)
    if ((await objectsOf(pool)) !== objects) await giveUp()
  } catch (error) {
    await giveUp()
    throw error
  } finally {
    isTaken = false
  }
}

async function stand(): Promise<Standing> {
  const instance = await createInstance()
  const { pool } = instance.database
  return {
    instance,
    objects: await objectsOf(pool),
    filled: await tablesWithRows(pool),
    sequences: await sequencesOf(pool),
  }
}

async function giveUp(): Promise<void> {
  const { instance } = standing!
  standing = undefined
  await instance.close()
}

/**
 * Tenants go first: the audit log lets its rows go only with their tenant. Dead rows would be read by the next files, and
 * make other plans than they expect.
 */
async function empty(pool: Pool, filled: string[], sequences: string[]): Promise<void> {
  const tables = (await tablesWithRows(pool)).filter(name => !filled.includes(name))
  if (tables.length === 0) return
  const deletions = ['tenants', ...tables].map(name => `delete from ${name}`)
  const settings = ['set local session_replication_role = replica', "set local lock_timeout = '10s'"]
  await pool.query(['begin', ...settings, ...deletions, ...sequences, 'commit'].join(';'))
  await pool.query(`vacuum ${tables.join(', ')}`)
}

async function tablesWithRows(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'carillon'::regnamespace and relkind in ('r', 'p') and not relispartition`,
  )
  const questions = rows.map(({ name }) => `select '${name}' as name where exists (select from ${name})`)
  return (await pool.query<{ name: string }>(questions.join(' union all '))).rows.map(({ name }) => name)
}

async function sequencesOf(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ statement: string }>(
    `select format('select setval(%L, %s, %L)', format('%I.%I', schemaname, sequencename),
       coalesce(last_value, start_value), last_value is not null) as statement
     from pg_sequences where schemaname = 'carillon'`,
  )
  return rows.map(({ statement }) => statement)
}

/** Everything but rows that a test may have changed: columns, constraints, triggers, functions and who may use them. */
async function objectsOf(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ objects: string }>(OBJECTS)
  return rows[0]!.objects
}

const OBJECTS = `
  select md5(string_agg(object, ',' order by object)) as objects from (
    select format('%s.%s %s %s', relnamespace, relname, relnatts, relacl) from pg_class
    where relkind <> 't' and relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
    union all
    select format('%s %s %s %s', oid, proname, md5(prosrc), proacl) from pg_proc where pronamespace = 'carillon'::regnamespace
    union all
    select format('%s %s %s', tgrelid, tgname, tgenabled) from pg_trigger where not tgisinternal
    union all
    select format('%s %s %s', conrelid, conname, convalidated) from pg_constraint where connamespace = 'carillon'::regnamespace
    union all
    select format('%s %s', setdatabase, setconfig) from pg_db_role_setting where setdatabase in (
      select oid from pg_database where datname = current_database()
    )
  ) o (object)`
