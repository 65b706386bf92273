/** The numbered migrations of a version, and the ledger of those that a database has. The caller owns the transaction. */
import { readFile } from 'node:fs/promises'
import { isDatabaseError } from './errors.ts'
import type { Connection } from './pool.ts'

/** A step that PostgreSQL refused. It keeps the code, by which a lock that was busy is recognised and tried again. */
export class MigrationError extends Error {
  readonly code: unknown

  constructor(message: string, cause: unknown) {
    super(message, { cause })
    this.code = (cause as { code?: unknown }).code
  }
}

/** Creates what is missing. With `if not exists`, PostgreSQL asks for the right to create even if there is nothing to do. */
export async function prepareLedger(client: Connection): Promise<void> {
  const { rows } = await client.query<{ schema: boolean; ledger: boolean }>(
    `select to_regnamespace('carillon') is not null as schema,
       to_regclass('carillon.pgmigrations') is not null as ledger`,
  )
  const has = rows[0]!
  if (!has.schema) await createSchema(client)
  if (has.ledger) return
  await client.query(
    `create table carillon.pgmigrations (
       id serial primary key, name varchar(255) not null, run_on timestamp not null
     )`,
  )
}

export interface Migration {
  name: string
  up: string
  down: string
  /** It has a line `-- Outside a transaction: why`. */
  isOutside: boolean
}

export async function applyMigration(client: Connection, { name, up }: Migration): Promise<void> {
  await step(client, up, `${name} cannot be applied`)
  await recordMigration(client, name)
}

export async function recordMigration(client: Connection, name: string): Promise<void> {
  await client.query('insert into carillon.pgmigrations (name, run_on) values ($1, now())', [name])
}

export async function undoMigration(client: Connection, { name, down }: Migration): Promise<void> {
  await step(client, down, `${name} cannot be undone`)
  await client.query('delete from carillon.pgmigrations where name = $1', [name])
}

/** What PostgreSQL says about a refusal; of what is still needed, by whom: "view v depends on table t". */
export function reasonOf(error: unknown): string {
  const { message, detail, hint } = error as { message: string; detail?: string; hint?: string }
  if (isDatabaseError(error, 'dependent_objects_still_exist') && detail) return detail.replaceAll('\n', ', ')
  if (isDatabaseError(error, 'insufficient_privilege')) return `${message}. ${OWNER_NEEDED}`
  return isDatabaseError(error, 'invalid_function_definition') && hint ? `${message}. ${hint}` : message
}

const OWNER_NEEDED =
  'The schema is changed by the role that owns it: set DATABASE_OWNER_URL to that role, or run "carillon migrate up" with it before the start'

async function createSchema(client: Connection): Promise<void> {
  const { rows } = await client.query<{ role: string }>('select quote_ident(current_user) as role')
  try {
    await client.query('create schema carillon')
  } catch (error) {
    if (!isDatabaseError(error, 'insufficient_privilege')) throw error
    throw new MigrationError(
      `There is no schema carillon, and ${rows[0]!.role} may not create it. Let an administrator of the database run: create schema carillon authorization ${rows[0]!.role}`,
      error,
    )
  }
}

export async function readMigration(folder: string, name: string): Promise<Migration> {
  const text = await readFile(`${folder}/migrations/${name}.sql`, 'utf8')
  const [up, down, ...more] = text.split(/^-- Down Migration$/m)
  if (up === undefined || down === undefined || more.length > 0) {
    throw new Error(`${name}.sql needs exactly one line "-- Down Migration"`)
  }
  return { name, up, down, isOutside: /^-- Outside a transaction: \S/m.test(up) }
}

export async function step(client: Connection, text: string, problem: string): Promise<void> {
  try {
    await client.query(text)
  } catch (error) {
    throw new MigrationError(`${problem}: ${reasonOf(error)}`, error)
  }
}
