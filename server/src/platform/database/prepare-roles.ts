/** Gives a server of the operator's own the roles that the embedded one has, or says what an administrator has to run. */
import { randomBytes } from 'node:crypto'
import { isDatabaseError } from './errors.ts'
import { alone, type Log, withSession } from './migration-session.ts'
import { APPLICATION, ATTRIBUTES, GRANTS, OWNER, ownershipOf, ROLE_NAMES, type RoleName } from './roles.ts'

/** Of the roles that were created just now: nobody can ask for them later. */
export type NewPasswords = Partial<Record<RoleName, string>>

/** The role of the address may not do this; whoever may runs the SQL. */
export class RolesRefused extends Error {}

export async function prepareRoles(url: string, log: Log = () => {}): Promise<NewPasswords> {
  return withSession(url, client =>
    alone(client, log, async () => {
      const { rows } = await client.query<{ name: RoleName }>(
        'select name from unnest($1::text[]) as r (name) where to_regrole(name) is null',
        [ROLE_NAMES],
      )
      const passwords = Object.fromEntries(
        rows.map(({ name }) => [name, randomBytes(24).toString('hex')]),
      ) as NewPasswords
      await client.query('begin')
      try {
        await client.query(rolesSql(passwords))
        await client.query('commit')
        return passwords
      } catch (error) {
        await client.query('rollback')
        if (!isDatabaseError(error, 'insufficient_privilege')) throw error
        throw new RolesRefused(
          `The role of this address may not do this (${(error as Error).message}). ` +
            'Let an administrator run in this database what "carillon migrate roles --print" prints.',
        )
      }
    }),
  )
}

/** For an administrator with psql: all of it or nothing, and what is left to do. */
export function rolesScript(): string {
  return `begin;
${rolesSql()}commit;
-- Roles that are new have no password yet, and cannot log in without one:
${ROLE_NAMES.map(role => `--   \\password ${role}`).join('\n')}
`
}

/** Can be run again: what is there already stays, passwords included. Roles without a password cannot log in yet. */
export function rolesSql(passwords: NewPasswords = {}): string {
  const create = ROLE_NAMES.map(role => {
    const password = passwords[role] === undefined ? '' : ` password ''${passwords[role]}''`
    return `  if to_regrole('${role}') is null then execute 'create role ${role} ${ATTRIBUTES}${password}'; end if;`
  }).join('\n')
  return `do $$
declare
  statement text;
  former regrole;
begin
${create}
  -- whoever runs this hands over what is theirs
  if not pg_has_role('${OWNER}', 'usage') or not pg_has_role('${OWNER}', 'member') then
    execute format('grant ${OWNER} to %I', current_user);
  end if;
  execute format('grant connect, create on database %I to ${OWNER}', current_database());
  execute format('grant connect on database %I to ${ROLE_NAMES.slice(1).join(', ')}', current_database());
  if to_regnamespace('carillon') is null then
    create schema carillon authorization ${OWNER};
  end if;
  -- processes and applications that are at work as the former owner go on, without owning anything
  for former in
    select distinct nspowner::regrole from pg_namespace
    where nspname = 'carillon' and nspowner not in ('${OWNER}'::regrole, current_user::regrole)
  loop
    execute format('grant ${APPLICATION} to %s', former);
  end loop;
  for statement in
    select s.statement from (${ownershipOf({ formerOwner: `<> '${OWNER}'::regrole`, schemas: "= 'carillon'" })}) s
  loop
    execute statement;
  end loop;
end
$$;
${GRANTS.replace(/^ {2}/gm, '').trim()}
`
}
