/**
 * Who may do what in the database: `carillon_owner` owns the schema and migrates it; `carillon_app`, as which processes work,
 * reads and writes rows and nothing else; `carillon_reader` reads, but no secrets. functions/database/grant_roles.sql takes
 * from them again what they may not do with single tables.
 */
export const OWNER = 'carillon_owner'
export const APPLICATION = 'carillon_app'
export const READER = 'carillon_reader'
export const ROLE_NAMES = [OWNER, APPLICATION, READER] as const
export type RoleName = (typeof ROLE_NAMES)[number]

export const ATTRIBUTES = 'login nosuperuser nocreatedb nocreaterole noreplication nobypassrls'

/** What is there already, and what migrations will create. */
export const GRANTS = `
  grant usage on schema carillon to ${APPLICATION}, ${READER};
  grant select, insert, update, delete on all tables in schema carillon to ${APPLICATION};
  grant select on all tables in schema carillon to ${READER};
  grant usage, select on all sequences in schema carillon to ${APPLICATION};
  grant execute on all functions in schema carillon to ${APPLICATION};
  alter default privileges for role ${OWNER} in schema carillon
    grant select, insert, update, delete on tables to ${APPLICATION};
  alter default privileges for role ${OWNER} in schema carillon grant select on tables to ${READER};
  alter default privileges for role ${OWNER} in schema carillon grant usage, select on sequences to ${APPLICATION};
  alter default privileges for role ${OWNER} in schema carillon grant execute on functions to ${APPLICATION};
  do $$
  begin
    -- missing before the first migration, which calls it itself
    if to_regprocedure('carillon.grant_roles()') is not null then
      perform carillon.grant_roles();
    end if;
  end
  $$;`

/**
 * A query for the statements that make OWNER own what somebody else does: everything in the schemas, except for
 * PostgreSQL's own objects and those of extensions. Both options are conditions without their left side.
 */
export function ownershipOf({ formerOwner, schemas }: { formerOwner: string; schemas: string }): string {
  const notExtended = (catalog: string, oid: string) =>
    `not exists (select from pg_depend e where e.deptype = 'e' and e.classid = '${catalog}'::regclass and e.objid = ${oid})`
  const inSchemas = (column: string) => `${column} in (select oid from pg_namespace where nspname ${schemas})`
  return `
  select format('alter schema %I owner to ${OWNER}', nspname) as statement from pg_namespace n
    where nspowner ${formerOwner} and n.oid >= 16384 and nspname !~ '^pg_' and nspname ${schemas}
      and ${notExtended('pg_namespace', 'n.oid')}
  union all
  select format('alter %s %s owner to ${OWNER}', case relkind when 'S' then 'sequence' else 'table' end, c.oid::regclass)
    from pg_class c
    where relowner ${formerOwner} and c.oid >= 16384 and relkind in ('r', 'p', 'v', 'm', 'f', 'S')
      and ${inSchemas('relnamespace')} and ${notExtended('pg_class', 'c.oid')}
      -- a column's own sequence goes with its table
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid
        and d.refobjsubid > 0 and d.deptype in ('a', 'i') and relkind = 'S')
  union all
  select format('alter routine %s owner to ${OWNER}', p.oid::regprocedure) from pg_proc p
    where proowner ${formerOwner} and p.oid >= 16384 and ${notExtended('pg_proc', 'p.oid')}
      and ${inSchemas('pronamespace')} and p.prokind <> 'a'
  union all
  select format('alter type %s owner to ${OWNER}', t.oid::regtype) from pg_type t
    where typowner ${formerOwner} and t.oid >= 16384 and ${notExtended('pg_type', 't.oid')}
      and typelem = 0 and (typtype in ('e', 'd', 'r')
        or (typtype = 'c' and exists (select from pg_class c where c.oid = t.typrelid and c.relkind = 'c')))
      and ${inSchemas('typnamespace')}`
}
