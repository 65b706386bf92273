/** Who may do what on the embedded server. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { migrateUp } from '../database/migrate.ts'
import { type EmbeddedPostgres, startEmbedded } from './embedded.ts'

let dataDir: string
let server: EmbeddedPostgres

const start = () => startEmbedded({ dataDir, log: () => {}, settings: { fsync: 'off' } })
async function ask(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}
const superuser = (text: string) => ask(server.superuserUrl, text)
const application = (text: string) => ask(server.url, text)
const ownersOfEverything = () =>
  superuser(`
    select distinct o.rolname as owner from (
      select relowner as owner from pg_class where oid >= 16384 and relnamespace <> 'pg_toast'::regnamespace
      union select proowner from pg_proc where oid >= 16384
      union select nspowner from pg_namespace where oid >= 16384 and nspname !~ '^pg_'
      union select typowner from pg_type where oid >= 16384 and typnamespace <> 'pg_toast'::regnamespace
      union select datdba from pg_database where datname = current_database()
    ) owned join pg_roles o on o.oid = owned.owner`)

beforeAll(async () => {
  dataDir = mkdtempSync(join(inject('scratchDir'), 'roles-'))
  chmodSync(dataDir, 0o755)
  server = await start()
  await migrateUp(server.ownerUrl)
})
afterAll(async () => {
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

describe('the application’s role', () => {
  it('reads and writes rows', async () => {
    await application("insert into carillon.tenants (id, name) values (gen_random_uuid(), 'first')")
    expect(await application('select name from carillon.tenants')).toEqual([{ name: 'first' }])
    await application("delete from carillon.tenants where name = 'first'")
  })

  it.each([
    [
      'disable a trigger of the audit log',
      'alter table carillon.audit_logs disable trigger audit_logs_append_only',
    ],
    ['drop one', 'drop trigger audit_logs_append_only on carillon.audit_logs'],
    ['replace what it does', 'alter function carillon.refuse_audit_change() rename to other'],
    ['switch triggers off', 'set session_replication_role = replica'],
    ['truncate', 'truncate carillon.audit_logs'],
    ['create functions', 'create function carillon.mine() returns integer language sql return 1'],
    ['create schemas', 'create schema mine'],
    ['run programs', "copy (select 1) to program 'cat'"],
    ['read files', "select pg_read_file('/etc/hostname')"],
    ['change the server', "alter system set fsync = 'off'"],
    ['create roles', 'create role mine'],
    ['become the owner', 'set role carillon_owner'],
  ])('cannot %s', async (_what, statement) => {
    await expect(application(statement)).rejects.toMatchObject({ code: '42501' })
  })
})

it('no other role than the first is a superuser', async () => {
  expect(await superuser('select rolname from pg_roles where rolsuper')).toEqual([{ rolname: 'carillon' }])
  expect(await ownersOfEverything()).toEqual([{ owner: 'carillon_owner' }])
})

it('a start that has nothing to prepare writes nothing', async () => {
  const rows = 'select xmin::text, rolname from pg_authid order by oid'
  const before = await superuser(rows)
  await server.stop()
  server = await start()
  expect(await superuser(rows)).toEqual(before)
})

it('a role that somebody raised is brought back', async () => {
  await superuser('alter role carillon_app superuser')
  await server.stop()
  server = await start()
  expect(await superuser('select rolname from pg_roles where rolsuper')).toEqual([{ rolname: 'carillon' }])
})
