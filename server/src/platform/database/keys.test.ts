/**
 * The tenant leads every primary key, every unique index and every foreign key: no two tenants share one, and the tables can
 * be spread over servers by tenant. docs/operations/scaling.md says what that is good for.
 */
import type { PoolClient } from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { useDatabase } from '../../../test/database.ts'

/** Tables about the instance: their rows are on every server, or on one of their own. */
const OF_THE_INSTANCE: Record<string, string> = {
  accounts: 'one person may operate several tenants, and signs in before any of them is known',
  admin_system_events:
    'events of the instance have no tenant, and rows cannot be spread by a column that is null; one row per problem is few',
  invariant_walks: 'how far the reconciler has looked, through the rows of all tenants',
  master_keys: 'the key that all secrets are encrypted with',
  provider_configs:
    'those from the environment belong to no tenant; a provider is claimed by its id, which names no tenant',
  provider_health: 'breakers of the same providers',
  recent_sends: 'rates of providers and webhooks, counted by their random ids',
  releases: 'versions of the schema',
  restores: 'what the whole instance was restored to',
  sessions: 'a cookie says whose it is: an account’s, which has no tenant, or that of a key',
  tenants: 'the tenants themselves',
  time_zones: 'clock changes',
}

/**
 * The one other exception: hashes of secrets that say which tenant is calling, so that a row is found by one before its
 * tenant is known. They are unique beside the table's own key, since whoever presents one must not be two tenants.
 */
const FOUND_WITHOUT_TENANT = {
  api_keys_key_hash_key: 'a key says who is calling',
  http_trigger_details_token_hash_key: 'an address says which trigger is called',
  invitations_token_hash_key: 'a link says which tenant somebody is invited to',
}

const instance = Object.keys(OF_THE_INSTANCE).sort()
const TABLES = `select oid, relname as name from pg_class where relnamespace = 'carillon'::regnamespace
  and relkind in ('r', 'p') and not relispartition and relname <> 'pgmigrations'`
const isTenant = (table: string, column: string) =>
  `exists (select from pg_attribute a where a.attrelid = ${table} and a.attnum = ${column} and a.attname = 'tenant_id')`
const UNIQUE_KEYS = `select t.name as table, i.relname as name, x.indisprimary as is_primary from pg_index x
  join (${TABLES}) t on t.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
  where x.indisunique and not ${isTenant('x.indrelid', 'x.indkey[0]')} order by i.relname collate "C"`
const FOREIGN_KEYS = `select t.name as table, other.name as referred, k.conname as name from pg_constraint k
  join (${TABLES}) t on t.oid = k.conrelid join (${TABLES}) other on other.oid = k.confrelid
  where k.contype = 'f' and not ${isTenant('k.conrelid', 'k.conkey[1]')} order by k.conname collate "C"`
const WITHOUT_TENANT = `select t.name as table from (${TABLES}) t where not exists (
  select from pg_attribute a where a.attrelid = t.oid and a.attname = 'tenant_id' and a.attnotnull) order by 1`
const WITHOUT_KEY = `select t.name as table from (${TABLES}) t where not exists (
  select from pg_index x where x.indrelid = t.oid and x.indisunique) order by 1`

const database = useDatabase()
let client: PoolClient
beforeEach(async () => {
  client = await database.pool.connect()
  await client.query('begin')
})
afterEach(async () => {
  await client.query('rollback')
  client.release()
})

interface Key {
  table: string
  name: string
  is_primary?: boolean
  referred?: string
}
const ask = async (sql: string) => (await client.query<Key>(sql)).rows
const ofTenants = async (sql: string) =>
  (await ask(sql)).filter(
    ({ table, referred = '' }) => ![table, referred].some(name => instance.includes(name)),
  )
const uniqueKeys = async () =>
  (await ofTenants(UNIQUE_KEYS)).map(({ name, is_primary }) => (is_primary ? `primary ${name}` : name))
const foreignKeys = async () => (await ofTenants(FOREIGN_KEYS)).map(({ name }) => name)
const withoutTenant = async () => (await ofTenants(WITHOUT_TENANT)).map(({ table }) => table)

describe('the tenant', { tags: 'S004-7' }, () => {
  it('leads every unique key but those that say whose it is', async () => {
    expect(await uniqueKeys()).toEqual(Object.keys(FOUND_WITHOUT_TENANT))
  })

  it('leads every foreign key between tables of tenants', async () => {
    expect(await foreignKeys()).toEqual([])
  })

  it('is in every row', async () => {
    expect(await withoutTenant()).toEqual([])
  })

  it('is missing only where a table of the instance cannot have it', async () => {
    const tables = new Set((await ask(UNIQUE_KEYS)).map(({ table }) => table))
    expect(instance.filter(table => !tables.has(table))).toEqual([])
  })

  it('is missed in what is added', async () => {
    await client.query(`
      create table moods (id uuid primary key, tenant_id uuid, mood text unique, user_id text);
      create unique index moods_lower on moods (lower(mood));
      alter table users add constraint users_id_alone unique (id);
      alter table moods add constraint moods_user foreign key (user_id) references users (id);
      alter table moods add constraint moods_tenant foreign key (tenant_id) references tenants (id)`)
    const known = Object.keys(FOUND_WITHOUT_TENANT)
    expect((await uniqueKeys()).filter(name => !known.includes(name))).toEqual([
      'moods_lower',
      'moods_mood_key',
      'primary moods_pkey',
      'users_id_alone',
    ])
    expect(await foreignKeys()).toEqual(['moods_user'])
    expect(await withoutTenant()).toEqual(['moods'])
  })
})

it('every table has a key', async () => {
  expect(await ask(WITHOUT_KEY)).toEqual([])
  await client.query('create table moods (id uuid)')
  expect(await ask(WITHOUT_KEY)).toEqual([{ table: 'moods' }])
})
