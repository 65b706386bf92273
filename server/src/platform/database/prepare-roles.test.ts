/** The roles on a server of the operator's own: who may do what, and what happens where nobody may create roles. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { makeVersionFolder } from '../../../test/version-folder.ts'
import { type EmbeddedPostgres, startEmbedded } from '../embedded-database/embedded.ts'
import { migrateUp } from './migrate.ts'
import { prepareRoles, rolesScript } from './prepare-roles.ts'

let dataDir: string
let server: EmbeddedPostgres
/** A database of a role that may create roles, as managed servers give it. */
let admin: string
const urls: Record<string, string> = {}

async function ask(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}
const asRole = (role: string, password: string) =>
  Object.assign(new URL(server.superuserUrl), { username: role, password, pathname: '/shop' }).href

beforeAll(async () => {
  dataDir = mkdtempSync(join(inject('scratchDir'), 'prepared-roles-'))
  chmodSync(dataDir, 0o755)
  server = await startEmbedded({ dataDir, log: () => {}, settings: { fsync: 'off' } })
  // A plain server, which knows nothing of Carillon.
  const maintenance = Object.assign(new URL(server.superuserUrl), { pathname: '/postgres' }).href
  for (const statement of [
    'drop database carillon',
    'drop role carillon_app, carillon_owner, carillon_reader',
    "create role admin login createrole password 'secret'",
    'create database shop owner admin',
  ])
    await ask(maintenance, statement)
  admin = asRole('admin', 'secret')
  // It was in use before: everything belongs to the one role that there was.
  await migrateUp(admin)
  const passwords = await prepareRoles(admin)
  for (const [role, password] of Object.entries(passwords)) urls[role] = asRole(role, password)
})
afterAll(async () => {
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

it('there is a role for each purpose, and everything of Carillon is the owner’s', {
  tags: 'S002-30',
}, async () => {
  expect(Object.keys(urls)).toEqual(['carillon_owner', 'carillon_app', 'carillon_reader'])
  expect(
    await ask(
      admin,
      `select distinct rolname from pg_roles join (
         select relowner as owner from pg_class where relnamespace = 'carillon'::regnamespace
         union select proowner from pg_proc where pronamespace = 'carillon'::regnamespace
         union select nspowner from pg_namespace where nspname = 'carillon') owned on owned.owner = pg_roles.oid`,
    ),
  ).toEqual([{ rolname: 'carillon_owner' }])
  expect(await prepareRoles(admin)).toEqual({})
})

const ADDED = {
  'migrations/9000_added.sql':
    '-- Up Migration\ncreate table moods (mood text, secrets text);\n-- Down Migration\ndrop table moods;\n',
}

it('the owner migrates, and what it adds has the same rights', async () => {
  const newer = makeVersionFolder(inject('scratchDir'), { files: ADDED })
  expect(await migrateUp(urls.carillon_owner!, () => {}, newer)).toEqual(['9000_added'])
  await ask(urls.carillon_app!, "insert into carillon.moods values ('calm', 'sealed')")
  expect(await ask(urls.carillon_reader!, 'select mood from carillon.moods')).toEqual([{ mood: 'calm' }])
  await expect(ask(urls.carillon_reader!, 'select secrets from carillon.moods')).rejects.toThrow(/permission/)
})

const AUDITED =
  'insert into carillon.audit_logs (id, tenant_id, action, resource_type) select gen_random_uuid(), id'

describe('the application’s role', { tags: 'S002-30' }, () => {
  it('reads and writes rows, and adds audit rows', async () => {
    await ask(
      urls.carillon_app!,
      "insert into carillon.tenants (id, name) values (gen_random_uuid(), 'first')",
    )
    await ask(urls.carillon_app!, `${AUDITED}, 'create', 'user' from carillon.tenants`)
    expect(await ask(urls.carillon_app!, 'select action from carillon.audit_logs')).toEqual([
      { action: 'create' },
    ])
  })

  it.each([
    ['alter tables', 'alter table carillon.routes add column mood text'],
    ['create tables', 'create table carillon.mine ()'],
    ['disable triggers', 'alter table carillon.audit_logs disable trigger all'],
    ['switch triggers off', 'set session_replication_role = replica'],
    ['change audit rows', "update carillon.audit_logs set action = 'other'"],
    ['delete audit rows', 'delete from carillon.audit_logs'],
    [
      'delete them by the function',
      'select carillon.delete_audit_logs(array(select ctid from carillon.audit_logs))',
    ],
    ['truncate', 'truncate carillon.audit_logs'],
    ['say which migrations were applied', 'delete from carillon.pgmigrations'],
    ['say which release is here', 'update carillon.releases set compatible_since = number'],
    [
      'shut processes out by a release of its own',
      "insert into carillon.releases (number, compatible_since, hash, functions) values (9999, 9999, '', '{}')",
    ],
    ['become the owner', 'set role carillon_owner'],
    ['create roles', 'create role mine'],
  ])('cannot %s', async (_what, statement) => {
    await expect(ask(urls.carillon_app!, statement)).rejects.toMatchObject({ code: '42501' })
  })

  it('starts where there is nothing to bring, and else says whose turn it is', async () => {
    expect(await migrateUp(urls.carillon_app!)).toEqual([])
    const newer = makeVersionFolder(inject('scratchDir'), {
      files: {
        ...ADDED,
        'migrations/9001_more.sql':
          '-- Up Migration\ncreate table weathers ();\n-- Down Migration\ndrop table weathers;\n',
      },
    })
    await expect(migrateUp(urls.carillon_app!, () => {}, newer)).rejects.toThrow(
      /9001_more cannot be applied: permission denied.*DATABASE_OWNER_URL/,
    )
  })
})

describe('the role that reads', { tags: 'S002-30' }, () => {
  it('reads tables', async () => {
    expect(await ask(urls.carillon_reader!, 'select name from carillon.tenants')).toEqual([{ name: 'first' }])
    expect(await ask(urls.carillon_reader!, 'select id, name from carillon.provider_configs')).toEqual([])
  })

  it.each([
    ['read secrets', 'select secrets from carillon.provider_configs'],
    ['read the hashes of keys', 'select key_hash from carillon.api_keys'],
    ['write rows', 'update carillon.tenants set name = name'],
    ['delete rows', 'delete from carillon.routes'],
    ['notify', "select carillon.notify('{}')"],
    ['alter tables', 'alter table carillon.routes add column mood text'],
  ])('cannot %s', async (_what, statement) => {
    await expect(ask(urls.carillon_reader!, statement)).rejects.toMatchObject({ code: '42501' })
  })

  it('sees no column that is named like a secret', async () => {
    expect(
      await ask(
        urls.carillon_reader!,
        `select c.oid::regclass || '.' || attname as seen from pg_attribute a join pg_class c on c.oid = attrelid
         where relnamespace = 'carillon'::regnamespace and relkind = 'r' and attnum > 0
           and attname ~ '^(secrets?|token|.*(token|key|settings)_hash|ciphertext|password.*)$'
           and has_column_privilege(c.oid, attnum, 'select')`,
      ),
    ).toEqual([])
  })
})

it('whoever owned it before works on, without owning it', async () => {
  const maintenance = server.superuserUrl.replace(/\/carillon$/, '/postgres')
  await ask(maintenance, "create role earlier login password 'secret'")
  await ask(maintenance, 'create database market owner earlier')
  const at = (role: string, password: string) => asRole(role, password).replace(/\/shop$/, '/market')
  await migrateUp(at('earlier', 'secret'))
  // An administrator runs it while processes and applications are at work with the only role that there was.
  await ask(at('carillon', new URL(server.superuserUrl).password), rolesScript())
  await ask(at('earlier', 'secret'), 'select from carillon.routes')
  await expect(ask(at('earlier', 'secret'), 'delete from carillon.audit_logs')).rejects.toMatchObject({
    code: '42501',
  })
  await expect(
    ask(at('earlier', 'secret'), 'alter table carillon.routes add column mood text'),
  ).rejects.toMatchObject({ code: '42501' })
})

it('where the role of the address may not, an administrator is told what to run, and it does the same', async () => {
  await ask(
    server.superuserUrl.replace(/\/carillon$/, '/postgres'),
    "create role plain login password 'secret'",
  )
  await expect(prepareRoles(asRole('plain', 'secret'))).rejects.toThrow('migrate roles --print')
  await ask(asRole('carillon', new URL(server.superuserUrl).password), rolesScript())
  await ask(urls.carillon_app!, 'select from carillon.routes')
  await expect(ask(urls.carillon_app!, 'delete from carillon.audit_logs')).rejects.toMatchObject({
    code: '42501',
  })
})
