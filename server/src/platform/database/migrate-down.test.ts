/** Going back is all or nothing, and takes only what Carillon itself brought. */
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { describeAll } from '../../../test/describe-all.ts'
import { makeVersionFolder, ownRelease } from '../../../test/version-folder.ts'
import { migrateDown, migrateUp, migrationStatus } from './migrate.ts'

let database: TestDatabase
beforeEach(async () => {
  database = await createTestDatabase()
  await database.pool.query('create schema report')
})
afterEach(() => database.drop())

/** A later version with two migrations. */
const later = () =>
  makeVersionFolder(inject('scratchDir'), {
    files: {
      'migrations/9000_moods.sql':
        '-- Up Migration\ncreate table moods (mood text);\n-- Down Migration\ndrop table moods;\n',
      'migrations/9001_deliveries.sql': `-- Up Migration
alter table webhook_deliveries add column mood text;
-- Down Migration
alter table webhook_deliveries drop column mood;
`,
    },
  })
const everything = async () => [
  await describeAll(database.pool),
  (await database.pool.query('select * from carillon.releases order by number')).rows,
  await migrationStatus(database.url),
]
const count = async () => (await migrationStatus(database.url)).applied.length
const has = async (object: string): Promise<boolean> =>
  (await database.pool.query('select to_regprocedure($1) is not null as has', [object])).rows[0].has

describe('a migrate down that fails', () => {
  it('half-way through several migrations undoes none of them, and says what is in the way', async () => {
    const version = later()
    await migrateUp(database.url, () => {}, version)
    await database.pool.query('create view report.moods as select mood from carillon.moods')
    const before = await everything()
    await expect(migrateDown(database.url, 2, () => {}, version)).rejects.toThrow(
      /^Nothing was undone: .*view report\.moods depends on table moods.*run "carillon migrate down" again/,
    )
    expect(await everything()).toEqual(before)
  })

  it('when the functions come back undoes nothing either', async () => {
    const folder = makeVersionFolder(inject('scratchDir'), {
      files: {
        'migrations/9000_moods.sql':
          '-- Up Migration\ncreate table moods (mood text);\n-- Down Migration\ndrop table moods;\n',
        'functions/moods/moods.sql': `create or replace function carillon.all_moods() returns setof carillon.moods
          language sql as $$ select * from carillon.moods $$;`,
      },
    })
    await migrateUp(database.url, () => {}, folder)
    const before = await everything()
    await expect(migrateDown(database.url, 1, () => {}, folder)).rejects.toThrow(
      /^Nothing was undone.*carillon\.moods/,
    )
    expect(await everything()).toEqual(before)
  })
})

describe('a migrate down', () => {
  it('leaves functions and triggers alone that others put into the schema', async () => {
    await database.pool.query(`create function carillon.ours() returns trigger language plpgsql
      as $$ begin return null; end $$`)
    await database.pool.query(
      'create function carillon.iso(day date) returns text language sql return day::text',
    )
    await database.pool.query(
      'create trigger ours after insert on carillon.records execute function carillon.ours()',
    )
    const before = await describeAll(database.pool)
    const version = later()
    await migrateUp(database.url, () => {}, version)
    await migrateDown(database.url, 2, () => {}, version)
    await migrateUp(database.url)
    expect(await describeAll(database.pool)).toBe(before)
    await migrateDown(database.url, await count())
    expect([await has('carillon.ours()'), await has('carillon.iso(date)')]).toEqual([true, true])
    expect([await has('carillon.iso(timestamptz)'), await has('carillon.notify(jsonb)')]).toEqual([
      false,
      false,
    ])
  })

  it('refuses rather than drop a view that uses a function', async () => {
    const version = later()
    await migrateUp(database.url, () => {}, version)
    await database.pool.query('create view report.ids as select carillon.uuid_v7() as id')
    const before = await everything()
    await expect(migrateDown(database.url, 1, () => {}, version)).rejects.toThrow(
      /view report\.ids depends on function uuid_v7\(\)/,
    )
    expect(await everything()).toEqual(before)
    expect((await database.pool.query('select from report.ids')).rowCount).toBe(1)
  })

  it('waits for transactions that use what it takes away, and lets everybody else pass meanwhile', async () => {
    const version = later()
    await migrateUp(database.url, () => {}, version)
    const busy = await database.pool.connect()
    await busy.query('begin')
    await busy.query('select from carillon.webhook_deliveries')
    const lines: string[] = []
    const undone = migrateDown(database.url, 2, line => lines.push(line), version)
    await expect.poll(() => lines).toContain('waiting for a transaction that uses what is to be changed')
    await database.pool.query('select from carillon.webhook_deliveries')
    await busy.query('commit')
    busy.release()
    expect(await undone).toEqual(['9001_deliveries', '9000_moods'])
  })

  it('of a database without Carillon does nothing', async () => {
    const empty = await createTestDatabase({ template: 'template1' })
    try {
      expect(await migrateDown(empty.url)).toEqual([])
      expect((await empty.pool.query(`select to_regnamespace('carillon') as found`)).rows[0].found).toBeNull()
    } finally {
      await empty.drop()
    }
  })
})

describe('an upgrade', () => {
  const TRIGGERED = {
    'functions/moods/note_mood.sql': `create or replace function carillon.note_mood() returns trigger language plpgsql
        as $$ begin return null; end $$;
      create or replace trigger note_mood after insert on carillon.records execute function carillon.note_mood();`,
  }
  const bring = (ahead: number, files: Record<string, string>) =>
    migrateUp(
      database.url,
      () => {},
      makeVersionFolder(inject('scratchDir'), { ahead, isCompatible: false, files }),
    )

  it('takes a trigger away together with its function', async () => {
    const before = await describeAll(database.pool)
    await bring(1, TRIGGERED)
    expect(await describeAll(database.pool)).toContain('note_mood')
    await bring(2, {})
    expect(await describeAll(database.pool)).toBe(before)
  })

  it('that would have to drop what somebody else’s trigger calls names the trigger and changes nothing', async () => {
    await bring(1, TRIGGERED)
    await database.pool.query('create table report.moods (mood text)')
    await database.pool.query(
      'create trigger noted after insert on report.moods execute function carillon.note_mood()',
    )
    const before = await everything()
    await expect(bring(2, {})).rejects.toThrow(
      /trigger noted on table report\.moods depends on function note_mood\(\)/,
    )
    expect(await everything()).toEqual(before)
    expect((await migrationStatus(database.url)).database_release).toBe(ownRelease().number + 1)
  })
})
