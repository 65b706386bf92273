/** Migrations outside a transaction: tables are written meanwhile, and a process that dies leaves nothing in the way. */
import { afterEach, beforeEach, expect, inject, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { makeVersionFolder } from '../../../test/version-folder.ts'
import { migrateDown, migrateUp, migrationStatus } from './migrate.ts'

let database: TestDatabase
beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(() => database.drop())

const MIGRATION = `-- Up Migration
-- Outside a transaction: the table is large; everybody goes on writing it
create index concurrently if not exists records_topic on records (tenant_id, topic) where topic is not null;
alter table records validate constraint records_reason_check;
create unique index concurrently if not exists records_request on records (tenant_id, request_id) where request_id <> '';
-- Down Migration
drop index records_request;
drop index records_topic;
`
const folder = () =>
  makeVersionFolder(inject('scratchDir'), { files: { 'migrations/9000_topics.sql': MIGRATION } })
const indexes = async () =>
  (
    await database.pool.query(
      `select c.relname as name, i.indisvalid as valid from pg_index i join pg_class c on c.oid = i.indexrelid
       where c.relname in ('records_topic', 'records_request') order by 1`,
    )
  ).rows
const BOTH = [
  { name: 'records_request', valid: true },
  { name: 'records_topic', valid: true },
]
const insertRecord = (request: string) =>
  database.pool.query(
    `with tenant as (insert into tenants (id, name) values (gen_random_uuid(), gen_random_uuid()::text) returning id)
     insert into records (tenant_id, notification_id, notification_type, producer, audience_kind, channels, payload_json,
       idempotency_key, request_fingerprint, idempotency_expires_at, source, request_id, retry_base_ms, retry_cap_ms,
       accepted_at, updated_at)
     select coalesce((select min(id::text) from tenants)::uuid, id), gen_random_uuid(), 't', 'p', 'users', '{email}', '{}',
       gen_random_uuid()::text, '', now(), 'http', $1, 1, 1, now(), now() from tenant`,
    [request],
  )

it('builds indexes while others write, and goes back', { tags: 'S002-28' }, async () => {
  const version = folder()
  const writer = await database.pool.connect()
  await writer.query('begin')
  await writer.query('lock table records in row exclusive mode')
  const migrated = migrateUp(database.url, () => {}, version)
  const isBuilding = `select from pg_stat_progress_create_index where datname = current_database()`
  await expect.poll(async () => (await database.pool.query(isBuilding)).rowCount).toBe(1)
  // the writer holds up the index, and the index holds up nobody
  await insertRecord('')
  await writer.query('commit')
  writer.release()
  expect(await migrated).toEqual(['9000_topics'])
  expect(await indexes()).toEqual(BOTH)
  expect(await migrateDown(database.url, 1, () => {}, version)).toEqual(['9000_topics'])
  expect(await indexes()).toEqual([])
})

it('one that ended half-way is finished by the next start, an index that was not built completely anew', {
  tags: 'S002-28',
}, async () => {
  const version = folder()
  await insertRecord('twice')
  await insertRecord('twice')
  await expect(migrateUp(database.url, () => {}, version)).rejects.toThrow(
    /9000_topics cannot be applied.*records_request/,
  )
  expect(await indexes()).toEqual([
    { name: 'records_request', valid: false },
    { name: 'records_topic', valid: true },
  ])
  expect((await migrationStatus(database.url, version)).pending).toEqual(['9000_topics'])
  await database.pool.query(`delete from records where request_id = 'twice'`)
  expect(await migrateUp(database.url, () => {}, version)).toEqual(['9000_topics'])
  expect(await indexes()).toEqual(BOTH)
})

it('processes that start meanwhile do not hold it up, though they wait for it', {
  tags: 'S002-28',
}, async () => {
  const version = folder()
  const runs = await Promise.all([1, 2, 3].map(() => migrateUp(database.url, () => {}, version)))
  expect(runs.flat()).toEqual(['9000_topics'])
  expect(await indexes()).toEqual(BOTH)
})
