import { existsSync, readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { A_TENANT, createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { describeAll } from '../../../test/describe-all.ts'
import { makeVersionFolder } from '../../../test/version-folder.ts'
import { describeSchema } from './describe-schema.ts'
import { migrateDown, migrateUp, migrationStatus, NewerDatabaseError } from './migrate.ts'
import { createPool } from './pool.ts'

let database: TestDatabase
beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(() => database.drop())

/** A later version, whose migrations change tables of this one and add some. */
const later = () =>
  makeVersionFolder(inject('scratchDir'), {
    files: {
      'migrations/9000_moods.sql': `-- Up Migration
create table moods (tenant_id uuid references tenants (id) on delete cascade, mood text, primary key (tenant_id, mood));
alter table records add column mood text;
alter table records_archive add column mood text;
-- Down Migration
alter table records_archive drop column mood;
alter table records drop column mood;
drop table moods;
`,
      'migrations/9001_moods_indexes.sql': `-- Up Migration
-- Outside a transaction: records are written meanwhile
create index concurrently if not exists records_mood on records (tenant_id, mood) where mood is not null;
-- Down Migration
drop index if exists records_mood;
`,
      'functions/moods/moods.sql': `create or replace function carillon.mood_of(tenant uuid) returns text language sql
        as $$ select mood from carillon.moods where tenant_id = tenant $$;`,
    },
  })

const schemaFile = new URL('../../../schema.sql', import.meta.url)
const leftovers = async () => {
  const { rows } = await database.pool.query(
    `select relname as name from pg_class where relnamespace = 'carillon'::regnamespace and relkind in ('r', 'i', 'S')
       and relname not like 'pgmigrations%'
     union all select proname from pg_proc where pronamespace = 'carillon'::regnamespace
     union all select typname from pg_type where typnamespace = 'carillon'::regnamespace and typtype = 'e'`,
  )
  return rows.map(row => row.name)
}

describe('migrations', () => {
  it('all the way down leave nothing, and up again the same schema', {
    tags: ['S000-33', 'S001-32', 'S002-28'],
  }, async () => {
    const before = await describeAll(database.pool)
    const { applied } = await migrationStatus(database.url)
    expect(await migrateDown(database.url, applied.length)).toEqual([...applied].reverse())
    expect(await leftovers()).toEqual([])
    expect(await migrationStatus(database.url)).toMatchObject({ applied: [], pending: applied, unknown: [] })
    expect(await migrateUp(database.url)).toEqual(applied)
    expect(await describeAll(database.pool)).toBe(before)
  })

  it('each one by itself goes down and up again to the same schema', {
    tags: ['S000-33', 'S002-28'],
  }, async () => {
    const version = later()
    await migrateUp(database.url, () => {}, version)
    const { applied } = await migrationStatus(database.url, version)
    const schemas = [await describeSchema(database.pool)]
    for (const name of [...applied].reverse().slice(0, -1)) {
      expect(await migrateDown(database.url, 1, () => {}, version)).toEqual([name])
      schemas.push(await describeSchema(database.pool))
    }
    expect(new Set(schemas).size).toBe(applied.length)
    await migrateUp(database.url, () => {}, version)
    expect(await describeSchema(database.pool)).toBe(schemas[0])
  })

  it('a later version goes down to this one, whose start brings what there was', {
    tags: ['S000-33', 'S002-28'],
  }, async () => {
    const before = await describeAll(database.pool)
    const version = later()
    const brought = await migrateUp(database.url, () => {}, version)
    expect(await describeAll(database.pool)).toContain('mood_of')
    await migrateDown(database.url, brought.length, () => {}, version)
    await migrateUp(database.url)
    expect(await describeAll(database.pool)).toBe(before)
  })

  it('server/schema.sql, once committed, is what the migrations make', { tags: 'S002-28' }, async () => {
    if (existsSync(schemaFile))
      expect(await describeSchema(database.pool)).toBe(readFileSync(schemaFile, 'utf8'))
  })

  it('go down with data in them as well', { tags: 'S002-28' }, async () => {
    await database.pool.query(A_TENANT)
    await database.pool.query(`select carillon.notify('t', '{"kind":"tenant"}', '{}')`)
    await database.pool.query(
      `insert into provider_configs (id, name, kind, channel, config)
       values (gen_random_uuid(), 'smtp', 'smtp', 'email', '{}')`,
    )
    await database.pool.query(
      'insert into recent_sends (subject_id, second, used) values (gen_random_uuid(), now(), 1)',
    )
    const { applied } = await migrationStatus(database.url)
    await migrateDown(database.url, applied.length)
    expect(await leftovers()).toEqual([])
  })

  it('a database of a newer version is refused, and left as it is', { tags: 'S000-34' }, async () => {
    await database.pool.query(
      "insert into carillon.pgmigrations (name, run_on) values ('9999_from_the_future', now())",
    )
    const before = await describeSchema(database.pool)
    const start = migrateUp(database.url)
    await expect(start).rejects.toBeInstanceOf(NewerDatabaseError)
    await expect(start).rejects.toThrow(/newer Carillon \(9999_from_the_future\).*migrate down/)
    expect(await describeSchema(database.pool)).toBe(before)
    expect((await migrationStatus(database.url)).unknown).toEqual(['9999_from_the_future'])
  })

  it('a database of before the baseline is refused without advice that would delete it', async () => {
    await database.pool.query(
      "update carillon.pgmigrations set name = '0001_spine' where name = '0001_baseline'",
    )
    await database.pool.query('update carillon.releases set number = 43, compatible_since = 43')
    const before = await describeSchema(database.pool)
    for (const run of [migrateUp, migrateDown]) {
      await expect(run(database.url)).rejects.toThrow(
        /^The database is of a Carillon from before 0\.1\.0, .* Nothing was changed: start the version that it is of, or give this one another database\.$/,
      )
    }
    expect(await describeSchema(database.pool)).toBe(before)
  })

  it('several processes that start at once migrate once', async () => {
    const before = await describeAll(database.pool)
    const { applied } = await migrationStatus(database.url)
    await migrateDown(database.url, applied.length)
    const runs = await Promise.all([1, 2, 3].map(() => migrateUp(database.url)))
    expect(runs.flat().sort()).toEqual([...applied].sort())
    expect(await describeAll(database.pool)).toBe(before)
  })

  it('a migration that fails says so and leaves nothing half done', { tags: 'S000-34' }, async () => {
    const { applied } = await migrationStatus(database.url)
    await migrateDown(database.url, applied.length)
    await database.pool.query('create table carillon.routes (in_the_way integer)')
    await expect(migrateUp(database.url)).rejects.toThrow(/routes/)
    expect(await leftovers()).toEqual(['routes'])
    await database.pool.query('drop table carillon.routes')
    expect(await migrateUp(database.url)).toEqual(applied)
  })

  it('an unreachable database fails at once', { tags: 'S000-34' }, async () => {
    await expect(migrateUp('postgres://nobody@127.0.0.1:1/none')).rejects.toThrow()
  })
})

describe('the description of a schema', () => {
  it('tells two schemas apart by a column, a default, a check, an index and a function', async () => {
    const pool = createPool(database.url, { max: 1 })
    const seen = [await describeSchema(pool)]
    for (const change of [
      'alter table users add column nickname text',
      "alter table users alter column nickname set default 'x'",
      'alter table users add constraint short check (length(nickname) < 9)',
      'create index users_nickname on users (nickname)',
      'create function two() returns integer language sql return 2',
    ]) {
      await pool.query(change)
      seen.push(await describeSchema(pool))
    }
    await pool.end()
    expect(new Set(seen).size).toBe(6)
  })
})
