/**
 * The roles of database/roles.ts on the embedded server, whose superuser only prepares what is here: whoever makes a process
 * run SQL of their own can neither reach the machine nor switch off the audit log's triggers.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Connection } from '../database/pool.ts'
import { ATTRIBUTES, GRANTS, OWNER, READER, ROLE_NAMES, type RoleName } from '../database/roles.ts'

export function rolePasswordFile(dataDir: string, role: RoleName): string {
  return join(dataDir, `postgres-${role.replace('carillon_', '')}-password`)
}

export function readRolePassword(dataDir: string, role: RoleName): string | undefined {
  const path = rolePasswordFile(dataDir, role)
  return (existsSync(path) && readFileSync(path, 'utf8').trim()) || undefined
}

/**
 * Gives the roles the passwords of the data folder, which are created with them, or anew when a file was deleted. Writes
 * nothing where they are as they should be: the server also has to come back on a disk that is full.
 */
export async function prepareRoles(
  superuser: Connection,
  dataDir: string,
  canConnect: (role: RoleName, password: string) => Promise<boolean>,
): Promise<void> {
  for (const role of ROLE_NAMES) {
    const password = readRolePassword(dataDir, role) ?? writeRolePassword(dataDir, role)
    const { rows } = await superuser.query<{ has_attributes: boolean }>(HAS_ATTRIBUTES, [
      role,
      role === OWNER,
    ])
    if (rows[0]?.has_attributes && (await canConnect(role, password))) continue
    const verb = rows.length === 0 ? 'create' : 'alter'
    await superuser.query(`${verb} role ${role} ${attributesOf(role)} password '${password}'`)
  }
}

/** For a connection to Carillon's database. Changes nothing where everything is as it should be. */
export async function prepareOwnership(superuser: Connection): Promise<void> {
  await superuser.query('begin')
  await superuser.query(`select pg_advisory_xact_lock(${LOCK_ID})`)
  const { rows } = await superuser.query<{ statement: string }>(MISSING)
  for (const { statement } of rows) await superuser.query(statement)
  if (rows.length > 0) await superuser.query(GRANTS)
  await superuser.query('commit')
}

function writeRolePassword(dataDir: string, role: RoleName): string {
  const password = randomBytes(24).toString('hex')
  writeFileSync(rolePasswordFile(dataDir, role), `${password}\n`, { mode: 0o600 })
  return password
}

/** The owner creates roles for applications that share the database; PostgreSQL lets it give them only what it has. */
const attributesOf = (role: RoleName) =>
  role === OWNER ? ATTRIBUTES.replace('nocreaterole', 'createrole') : ATTRIBUTES

const HAS_ATTRIBUTES = `
  select rolcanlogin and not (rolsuper or rolcreatedb or rolreplication or rolbypassrls) and rolcreaterole = $2
    as has_attributes from pg_roles where rolname = $1`

/** That of migrations: a process of another version may be migrating. */
const LOCK_ID = '7241865325823964'

/** What is missing, as statements. */
const MISSING = `
  select format('alter database %I owner to ${OWNER}', datname) as statement
    from pg_database where datname = current_database() and datdba = current_user::regrole
  union all
  select 'create schema carillon authorization ${OWNER}' where to_regnamespace('carillon') is null
  union all
  -- whoever owns the database may back it up
  select format('grant execute on function %s to ${OWNER}', p.oid::regprocedure) from pg_proc p
    where pronamespace = 'pg_catalog'::regnamespace and proname in ('pg_backup_start', 'pg_backup_stop')
      and not has_function_privilege('${OWNER}', p.oid, 'execute')
  union all
  -- a schema that was dropped took its privileges along
  select 'select' where to_regnamespace('carillon') is null
    or not has_schema_privilege('${READER}', to_regnamespace('carillon')::oid, 'usage')
    or not exists (select from pg_default_acl
      where defaclnamespace = to_regnamespace('carillon') and defaclobjtype = 'r')`
