import { existsSync, readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { describeSchema } from './describe-schema.ts'
import { migrateDown, migrateUp, migrationStatus, NewerDatabaseError } from './migrate.ts'
import { createPool } from './pool.ts'

let database: TestDatabase
beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(() => database.drop())

/** Migrations that leave the schema as it is. */
const CHANGE_ROWS_ONLY = ['0012_webhook_delivery_scope', '0038_normal_suppressions']

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
    tags: ['S000-33', 'S002-28'],
  }, async () => {
    const before = await describeSchema(database.pool)
    const { applied } = await migrationStatus(database.url)
    expect(await migrateDown(database.url, applied.length)).toEqual([...applied].reverse())
    expect(await leftovers()).toEqual([])
    expect(await migrationStatus(database.url)).toMatchObject({ applied: [], pending: applied, unknown: [] })
    expect(await migrateUp(database.url)).toEqual(applied)
    expect(await describeSchema(database.pool)).toBe(before)
  })

  it('one that cannot go down leaves everything as it was, functions included', {
    tags: 'S002-28',
  }, async () => {
    const { applied } = await migrationStatus(database.url)
    await migrateDown(database.url, applied.length - 1 - applied.indexOf('0008_schedules'))
    const before = await describeSchema(database.pool)
    await database.pool.query('create schema report')
    await database.pool.query('create view report.runs as select id from carillon.schedules')
    await expect(migrateDown(database.url)).rejects.toThrow(/depend/)
    await database.pool.query('drop schema report cascade')
    expect(await describeSchema(database.pool)).toBe(before)
    await migrateUp(database.url)
  })

  it('each one by itself goes down and up again to the same schema', { tags: 'S002-28' }, async () => {
    const { applied } = await migrationStatus(database.url)
    const schemas = [await describeSchema(database.pool)]
    for (const name of [...applied].reverse().slice(0, -1)) {
      expect(await migrateDown(database.url)).toEqual([name])
      schemas.push(await describeSchema(database.pool))
    }
    await migrateUp(database.url)
    expect(await describeSchema(database.pool)).toBe(schemas[0])
    expect(new Set(schemas).size).toBe(applied.length - CHANGE_ROWS_ONLY.length)
  })

  it('server/schema.sql, once committed, is what the migrations make', { tags: 'S002-28' }, async () => {
    if (existsSync(schemaFile))
      expect(await describeSchema(database.pool)).toBe(readFileSync(schemaFile, 'utf8'))
  })

  it('go down with data in them as well', { tags: 'S002-28' }, async () => {
    await database.pool.query(
      `insert into tenants (id, name, accept_unknown_types) values (gen_random_uuid(), 'default', true)`,
    )
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

  it('several processes that start at once migrate once', async () => {
    const before = await describeSchema(database.pool)
    const { applied } = await migrationStatus(database.url)
    await migrateDown(database.url, applied.length)
    const runs = await Promise.all([1, 2, 3].map(() => migrateUp(database.url)))
    expect(runs.flat().sort()).toEqual([...applied].sort())
    expect(await describeSchema(database.pool)).toBe(before)
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
