/**
 * Migrations change large tables online: nothing that writes one may wait for as long as it takes to read or rewrite it. Each
 * migration is run, and the catalog says what it did. A table that the migration creates is empty and may be changed in any way.
 */
import type { PoolClient } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { useDatabase } from '../../../test/database.ts'
import { migrateDown, migrationStatus } from './migrate.ts'
import { statementsOf } from './migration-outside.ts'
import { type Migration, readMigration } from './migrations.ts'
import { OWN_FOLDER } from './release.ts'

/** Tables that stay small however much is sent, so that reading them under a lock takes a moment. */
const SMALL = [
  'categories',
  'master_keys',
  'notification_types',
  'provider_configs',
  'provider_health',
  'releases',
  'tenant_retention',
  'tenant_settings',
  'tenants',
  'time_zones',
]

/** What can be seen of a table that shows whether it was read, rewritten or written. */
const FACTS = `
  with tables as (
    select oid, relname as name, relkind = 'p' as is_archive from pg_class
    where relnamespace = 'carillon'::regnamespace and relkind in ('r', 'p') and not relispartition and relname <> all ($1)
  )
  select name as table, 'exists' as fact, '' as of from tables
  union all select t.name, 'has column', a.attname from pg_attribute a join tables t on t.oid = a.attrelid where a.attnum > 0
  union all select name, 'is rewritten', pg_relation_filenode(oid)::text from tables
  -- The archives are partitioned, so their indexes cannot be built concurrently; only the archiver waits for them.
  union all select t.name, 'is read for an index', x.indexrelid::text from pg_index x join tables t on t.oid = x.indrelid
    where not t.is_archive
  union all select t.name, 'is read for a constraint', k.oid::text from pg_constraint k join tables t on t.oid = k.conrelid
    where k.convalidated and k.contype in ('c', 'f')
  union all select t.name, 'is read for "not null"', a.attname from pg_attribute a join tables t on t.oid = a.attrelid
    where a.attnotnull and a.attnum > 0
  union all select t.name, 'has its rows changed', '' from pg_locks l join tables t on t.oid = l.relation
    where l.pid = pg_backend_pid() and l.mode = 'RowExclusiveLock'`

/** What may be repeated: a start after a crash runs such a migration from the beginning. */
const REPEATABLE = [
  /^create (unique )?index concurrently if not exists \w+ on [^$]+$/,
  /^drop index concurrently if exists \w+$/,
  /^alter table (carillon\.)?\w+ validate constraint \w+$/,
]

interface Fact {
  table: string
  fact: string
  of: string
}

const database = useDatabase()
let client: PoolClient
beforeAll(async () => {
  client = await database.pool.connect()
})
afterAll(() => client.release())

/** What a migration does that makes others wait; nothing of it stays. */
async function problemsOf({ up, isOutside }: Pick<Migration, 'up' | 'isOutside'>): Promise<string[]> {
  if (isOutside) return statementsOf(up).filter(statement => !isRepeatable(statement))
  await client.query('begin')
  try {
    const before = await facts()
    await client.query(up)
    const after = await facts()
    return [
      ...new Set(after.filter(fact => isNew(fact, before)).map(({ table, fact }) => `${table} ${fact}`)),
    ]
  } finally {
    await client.query('rollback')
  }
}

async function facts(): Promise<Fact[]> {
  return (await client.query<Fact>(FACTS, [SMALL])).rows
}

/** Of tables and columns that were there before. */
function isNew({ table, fact, of }: Fact, before: Fact[]): boolean {
  const had = (fact: string, of: string) =>
    before.some(known => known.table === table && known.fact === fact && known.of === of)
  if (fact === 'has column' || !had('exists', '') || had(fact, of)) return false
  return fact !== 'is read for "not null"' || had('has column', of)
}

function isRepeatable(statement: string): boolean {
  const code = statement.replace(/\s+/g, ' ').toLowerCase()
  return REPEATABLE.some(pattern => pattern.test(code))
}

describe('a migration that changes a large table', { tags: 'S002-28' }, () => {
  it.each([
    ['create index x on routes (tenant_id, provider)', ['routes is read for an index']],
    ['create unique index if not exists x on carillon.routes (tenant_id)', ['routes is read for an index']],
    ["alter table routes add check (provider <> 'x')", ['routes is read for a constraint']],
    [
      'alter table routes add foreign key (tenant_id) references tenants (id)',
      ['routes is read for a constraint'],
    ],
    ["alter table routes add a text, add check (a <> '')", ['routes is read for a constraint']],
    ['alter table routes add a integer check (a > 0)', ['routes is read for a constraint']],
    ['alter table routes add a uuid references tenants (id)', ['routes is read for a constraint']],
    ['alter table routes add unique (tenant_id, sent_at)', ['routes is read for an index']],
    ['alter table routes add exclude (provider with =)', ['routes is read for an index']],
    ['alter table routes add a uuid default gen_random_uuid()', ['routes is rewritten']],
    ['alter table routes add a uuid not null default uuid_v7()', ['routes is rewritten']],
    ['alter table routes add a bigserial', ['routes is rewritten']],
    ['alter table routes add a integer generated always as (priority + 1) stored', ['routes is rewritten']],
    ['alter table routes alter unless_read type text', ['routes is rewritten']],
    ['cluster routes using routes_pkey', ['routes is rewritten']],
    ['alter table routes alter sent_at set not null', ['routes is read for "not null"']],
    ["update routes set provider = 'x'", ['routes has its rows changed']],
    ["do $$ begin update routes set provider = 'x'; end $$", ['routes has its rows changed']],
    ["alter table records_archive add check (producer <> 'x')", ['records_archive is read for a constraint']],
  ])('may not: %s', async (up, problems) => {
    expect(await problemsOf({ up, isOutside: false })).toEqual(problems)
  })

  it.each([
    'alter table routes add a text, add b integer not null default 0',
    'alter table routes add constraint c check (priority in (1, 2)) not valid',
    'alter table routes drop constraint routes_channel_check, set (fillfactor = 50)',
    "alter table tenants add a text check (a <> ''); create index x on tenants (a); update tenants set a = 'x'",
    "create table moods (a text not null check (a <> '')); create index x on moods (a); update moods set a = 'x'",
    'create index x on records_archive (tenant_id, producer)',
    'do $$ begin perform 1; end $$',
  ])('may: %s', async up => {
    expect(await problemsOf({ up, isOutside: false })).toEqual([])
  })

  it('may use an index that was built before it', async () => {
    await client.query('create unique index x on routes (tenant_id, notification_id, route_id, channel)')
    const up = 'alter table routes add constraint c unique using index x'
    expect(await problemsOf({ up, isOutside: false })).toEqual([])
    await client.query('drop index x')
  })

  it.each([
    'create index concurrently x on routes (provider)',
    'create index if not exists x on routes (provider)',
    'drop index concurrently x',
    'alter table routes add column a text',
    'do $$ begin perform 1; end $$',
  ])('may not outside a transaction: %s', async up => {
    expect(await problemsOf({ up, isOutside: true })).not.toEqual([])
  })

  it('may outside a transaction do what can be repeated', async () => {
    const up = `-- Outside a transaction: routes is large
      create unique index concurrently if not exists x on routes (tenant_id)
        where provider <> '';
      alter table routes validate constraint c;
      drop index concurrently if exists x;`
    expect(await problemsOf({ up, isOutside: true })).toEqual([])
  })
})

it('no migration makes others wait', { tags: 'S002-28', timeout: 120_000 }, async () => {
  const { applied } = await migrationStatus(database.url)
  const problems: Record<string, string[]> = {}
  // before the first, there is no table
  for (const name of applied.slice(1).reverse()) {
    await migrateDown(database.url)
    problems[name] = await problemsOf(await readMigration(OWN_FOLDER, name))
  }
  expect(Object.entries(problems).filter(([, found]) => found.length > 0)).toEqual([])
})
