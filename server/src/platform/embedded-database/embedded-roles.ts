/**
 * The roles of the embedded server. Its superuser only prepares what is here; `carillon_owner` owns the database and
 * changes the schema; `carillon_app`, as which processes work, can read and write rows and nothing else: whoever makes
 * one of them run SQL of their own can neither reach the machine nor switch off the audit log's triggers.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Connection } from '../database/pool.ts'

export const OWNER = 'carillon_owner'
export const APPLICATION = 'carillon_app'
export type RoleName = typeof OWNER | typeof APPLICATION

export function rolePasswordFile(dataDir: string, role: RoleName): string {
  return join(dataDir, `postgres-${role === OWNER ? 'owner' : 'app'}-password`)
}

export function readRolePassword(dataDir: string, role: RoleName): string | undefined {
  const path = rolePasswordFile(dataDir, role)
  return (existsSync(path) && readFileSync(path, 'utf8').trim()) || undefined
}

/**
 * Gives both roles the passwords of the data folder, which are created with them, or anew when a file was deleted. Writes
 * nothing where they are as they should be: the server also has to come back on a disk that is full.
 */
export async function prepareRoles(
  superuser: Connection,
  dataDir: string,
  canConnect: (role: RoleName, password: string) => Promise<boolean>,
): Promise<void> {
  for (const role of [OWNER, APPLICATION] as const) {
    const password = readRolePassword(dataDir, role) ?? writeRolePassword(dataDir, role)
    const { rows } = await superuser.query<{ has_attributes: boolean }>(HAS_ATTRIBUTES, [
      role,
      role === OWNER,
    ])
    if (rows[0]?.has_attributes && (await canConnect(role, password))) continue
    const verb = rows.length === 0 ? 'create' : 'alter'
    await superuser.query(`${verb} role ${role} ${ATTRIBUTES[role]} password '${password}'`)
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
const ATTRIBUTES = {
  [OWNER]: 'login nosuperuser nocreatedb createrole noreplication nobypassrls',
  [APPLICATION]: 'login nosuperuser nocreatedb nocreaterole noreplication nobypassrls',
}

const HAS_ATTRIBUTES = `
  select rolcanlogin and not (rolsuper or rolcreatedb or rolreplication or rolbypassrls) and rolcreaterole = $2
    as has_attributes from pg_roles where rolname = $1`

/** The same for all versions, like that of migrations: an old one may be migrating as the superuser. */
const LOCK_ID = '7241865325823964'

/**
 * What earlier versions, which knew only the superuser, made in this database, and what people made in it: everything
 * that it owns, except for PostgreSQL's own objects and those of extensions. `reassign owned` refuses this role.
 */
const MISSING = `
  with superuser as (select oid from pg_roles where rolname = current_user),
  extended as (select classid, objid from pg_depend where deptype = 'e')
  select format('alter database %I owner to ${OWNER}', datname) as statement
    from pg_database where datname = current_database() and datdba = (table superuser)
  union all
  select 'create schema carillon authorization ${OWNER}' where to_regnamespace('carillon') is null
  union all
  select format('alter schema %I owner to ${OWNER}', nspname) from pg_namespace n
    where nspowner = (table superuser) and n.oid >= 16384 and nspname !~ '^pg_'
      and ('pg_namespace'::regclass, n.oid) not in (table extended)
  union all
  select format('alter %s %s owner to ${OWNER}', case relkind when 'S' then 'sequence' else 'table' end, c.oid::regclass)
    from pg_class c
    where relowner = (table superuser) and c.oid >= 16384 and relkind in ('r', 'p', 'v', 'm', 'f', 'S')
      and relnamespace in (select oid from pg_namespace where nspname !~ '^(pg_|information_schema$)')
      and ('pg_class'::regclass, c.oid) not in (table extended)
      -- a column's own sequence goes with its table
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid
        and d.refobjsubid > 0 and d.deptype in ('a', 'i') and relkind = 'S')
  union all
  select format('alter routine %s owner to ${OWNER}', p.oid::regprocedure) from pg_proc p
    where proowner = (table superuser) and p.oid >= 16384 and ('pg_proc'::regclass, p.oid) not in (table extended)
      and pronamespace in (select oid from pg_namespace where nspname !~ '^(pg_|information_schema$)')
      and p.prokind <> 'a'
  union all
  select format('alter type %s owner to ${OWNER}', t.oid::regtype) from pg_type t
    where typowner = (table superuser) and t.oid >= 16384 and ('pg_type'::regclass, t.oid) not in (table extended)
      and typelem = 0 and (typtype in ('e', 'd', 'r')
        or (typtype = 'c' and exists (select from pg_class c where c.oid = t.typrelid and c.relkind = 'c')))
      and typnamespace in (select oid from pg_namespace where nspname !~ '^(pg_|information_schema$)')
  union all
  -- a schema that was dropped took its default privileges along
  select 'select' where not exists (
    select from pg_default_acl where defaclnamespace = to_regnamespace('carillon') and defaclobjtype = 'r')`

/** What is there already, and what migrations will create. */
const GRANTS = `
  grant usage on schema carillon to ${APPLICATION};
  grant select, insert, update, delete on all tables in schema carillon to ${APPLICATION};
  grant usage, select on all sequences in schema carillon to ${APPLICATION};
  grant execute on all functions in schema carillon to ${APPLICATION};
  alter default privileges for role ${OWNER} in schema carillon
    grant select, insert, update, delete on tables to ${APPLICATION};
  alter default privileges for role ${OWNER} in schema carillon grant usage, select on sequences to ${APPLICATION};
  alter default privileges for role ${OWNER} in schema carillon grant execute on functions to ${APPLICATION};`
