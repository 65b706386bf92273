/** Versions beside each other on one database: functions go forwards only, and what applications were granted stays. */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { A_TENANT, createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { describeAll } from '../../../test/describe-all.ts'
import { makeVersionFolder, ownRelease, readOwn, type VersionChanges } from '../../../test/version-folder.ts'
import { migrateDown, migrateUp, migrationStatus, NewerDatabaseError } from './migrate.ts'
import { readVersion } from './release.ts'

let database: TestDatabase
beforeEach(async () => {
  database = await createTestDatabase()
  await database.pool.query(A_TENANT)
})
afterEach(() => database.drop())

const ADDED = 'migrations/9000_added.sql'
const A_MIGRATION = `-- Up Migration
alter table records add column mood text;
-- Down Migration
alter table records drop column mood;
`
/** A function that only this tree has, and one that only the next has. */
const CHANGES: VersionChanges = {
  files: {
    [ADDED]: A_MIGRATION,
    'functions/intents/notify.sql': readOwn('functions/intents/notify.sql').replaceAll(
      'notify_with_payload',
      'notify_by_document',
    ),
    'functions/intents/notify_with_payload.sql': null,
    'functions/intents/notify_by_document.sql': readOwn('functions/intents/notify_with_payload.sql').replace(
      'notify_with_payload',
      'notify_by_document',
    ),
  },
}
const next = (more: VersionChanges = {}) =>
  makeVersionFolder(inject('scratchDir'), { ...CHANGES, ...more, files: { ...CHANGES.files, ...more.files } })
const upgrade = (folder: string) => migrateUp(database.url, () => {}, folder)
let unique = 0
const notify = (client: pg.Pool | pg.ClientBase = database.pool) =>
  client.query(`select carillon.notify($1::jsonb)`, [
    { notification_type: 't', audience: { kind: 'tenant' }, payload: { number: ++unique } },
  ])
const functions = async (): Promise<string[]> =>
  (
    await database.pool.query(
      `select proname from pg_proc where pronamespace = 'carillon'::regnamespace order by 1`,
    )
  ).rows.map(row => row.proname)
const releases = async () =>
  (await database.pool.query('select number from releases order by 1')).rows.map(row => row.number)
/** The transaction that wrote each function. */
const writings = async () =>
  (
    await database.pool.query(
      `select oid, xmin::text from pg_proc where pronamespace = 'carillon'::regnamespace order by 1`,
    )
  ).rows

describe('the same version', () => {
  it('starts without writing a function or waiting for whoever migrates', async () => {
    const before = await writings()
    const migrating = await database.pool.connect()
    await migrating.query('select pg_advisory_lock(7241865325823964)')
    expect(await migrateUp(database.url)).toEqual([])
    migrating.release(true)
    expect(await writings()).toEqual(before)
  })

  it('says where it stands', async () => {
    const { number } = ownRelease()
    expect(await migrationStatus(database.url)).toMatchObject({
      standing: 'current',
      release: number,
      database_release: number,
    })
  })
})

describe('a newer version', () => {
  it('brings its functions and keeps those that processes of this one call', async () => {
    expect(await upgrade(next())).toEqual(['9000_added'])
    expect(await functions()).toEqual(expect.arrayContaining(['notify_by_document', 'notify_with_payload']))
    expect(await releases()).toEqual([ownRelease().number, ownRelease().number + 1])
    await notify()
  })

  it('takes them away when no compatible process calls them any more, and nothing of the administrator’s', async () => {
    await database.pool.query(`create function carillon.ours() returns integer language sql return 1`)
    await upgrade(next({ isCompatible: false }))
    const present = await functions()
    expect(present).toEqual(expect.arrayContaining(['notify_by_document', 'ours']))
    expect(present).not.toContain('notify_with_payload')
    await notify()
  })

  it('waits for transactions that use what it changes, and lets everybody else pass meanwhile', async () => {
    const busy = await database.pool.connect()
    await busy.query('begin')
    await notify(busy)
    const lines: string[] = []
    const upgraded = migrateUp(database.url, line => lines.push(line), next())
    await expect.poll(() => lines).toContain('waiting for a transaction that uses what is to be changed')
    await notify()
    await busy.query('commit')
    busy.release()
    expect(await upgraded).toEqual(['9000_added'])
  })
})

describe('this version beside a newer one', () => {
  it('works with what a compatible one brought, and leaves it as it is', async () => {
    await upgrade(next())
    const before = [await describeAll(database.pool), await writings()]
    const lines: string[] = []
    expect(await migrateUp(database.url, line => lines.push(line))).toEqual([])
    expect([await describeAll(database.pool), await writings()]).toEqual(before)
    expect(lines).toEqual([
      expect.stringMatching(/newer Carillon is here, and this one, release \d+, works with it/),
    ])
    expect(await migrationStatus(database.url)).toMatchObject({
      standing: 'newer',
      unknown: ['9000_added'],
      database_release: ownRelease().number + 1,
    })
    await notify()
  })

  it('refuses an incompatible one with a sentence that says what to do, and leaves it as it is', async () => {
    const { number } = ownRelease()
    await upgrade(
      next({
        isCompatible: false,
        files: { 'migrations/9001_more.sql': '-- Up Migration\n-- Down Migration\n' },
      }),
    )
    const before = [await describeAll(database.pool), await writings()]
    const start = migrateUp(database.url)
    await expect(start).rejects.toBeInstanceOf(NewerDatabaseError)
    await expect(start).rejects.toThrow(
      `The database was migrated by a newer Carillon (9000_added, 9001_more). It is at release ${number + 1}, which works with processes of release ${number + 1} and newer; this one is release ${number}. Start that version, or go back with its "carillon migrate down --count 2".`,
    )
    expect([await describeAll(database.pool), await writings()]).toEqual(before)
    expect((await migrationStatus(database.url)).standing).toBe('too_new')
  })

  it('asks again when the newer one is done, and does not refuse what is half brought', async () => {
    const migrating = await database.pool.connect()
    await migrating.query('select pg_advisory_lock(7241865325823964)')
    await database.pool.query(`insert into pgmigrations (name, run_on) values ('9000_added', now())`)
    const lines: string[] = []
    const start = migrateUp(database.url, line => lines.push(line))
    await expect.poll(() => lines).toEqual(['waiting for another process that migrates'])
    await database.pool.query(
      `insert into releases (number, compatible_since, hash, functions) select number + 1, compatible_since, hash, '{}' from releases`,
    )
    migrating.release(true)
    expect(await start).toEqual([])
  })

  it('does not undo migrations, which only the newer one can', async () => {
    await upgrade(next())
    const before = [await describeAll(database.pool), await writings()]
    await expect(migrateDown(database.url)).rejects.toThrow(
      'The database was migrated by a newer Carillon (9000_added). Only that version can go back.',
    )
    expect([await describeAll(database.pool), await writings()]).toEqual(before)
  })

  it('comes back after the newer one went down', async () => {
    const before = await describeAll(database.pool)
    const newer = next({ isCompatible: false })
    await upgrade(newer)
    expect(await migrateDown(database.url, 1, () => {}, newer)).toEqual(['9000_added'])
    expect(await migrateUp(database.url)).toEqual([])
    expect(await describeAll(database.pool)).toBe(before)
    expect((await migrationStatus(database.url)).standing).toBe('current')
  })
})

describe('functions of another shape', () => {
  const OTHERS = {
    [ADDED]: null,
    'functions/digests/close_digest.sql': `create or replace function carillon.close_digest(t uuid, digest uuid)
      returns table (other text) language sql as $$ select '' $$;`,
    'functions/intents/check_intent.sql': `create or replace function carillon.check_intent(a text) returns void
      language sql as '';`,
  }

  it('are replaced and others taken away, also if it is not known which release they are of', async () => {
    const before = await describeAll(database.pool)
    await upgrade(makeVersionFolder(inject('scratchDir'), { files: OTHERS }))
    expect(await functions()).toContain('check_intent')
    await database.pool.query('delete from releases')
    await migrateUp(database.url)
    expect(await describeAll(database.pool)).toBe(before)
  })

  it('stay if they are the administrator’s: the upgrade fails, says which one is in the way, and changes nothing', async () => {
    await database.pool.query(
      'create function carillon.notify_by_document(intent jsonb, given text) returns date language sql return now()',
    )
    const release = await releases()
    await expect(upgrade(next({ files: { [ADDED]: null } }))).rejects.toThrow(
      /notify_by_document\.sql cannot be written: .*DROP FUNCTION notify_by_document\(jsonb,text\) first/,
    )
    expect(await functions()).toContain('notify_by_document')
    expect(await releases()).toEqual(release)
  })

  it('a function that is wrong in itself fails the upgrade, and everything stays', async () => {
    const before = [await describeAll(database.pool), await writings()]
    const wrong =
      'create or replace function carillon.wrong(a integer default 1, b integer) returns void language sql as $$ $$;'
    await expect(upgrade(next({ files: { [ADDED]: null, 'functions/wrong.sql': wrong } }))).rejects.toThrow(
      /default/,
    )
    expect([await describeAll(database.pool), await writings()]).toEqual(before)
  })
})

describe('grants', () => {
  const role = `shop_${randomBytes(4).toString('hex')}`
  const long =
    'carillon.notify(text, jsonb, json, text, text[], text, timestamptz, timestamptz, timestamptz, text, text, text, text, text)'
  let shop: pg.Client

  beforeEach(async () => {
    await database.pool.query(`create role ${role} login password 'secret'`)
    await database.pool.query(`grant usage on schema carillon to ${role}`)
    await database.pool.query(`grant execute on function carillon.notify(jsonb) to ${role}`)
    await database.pool.query(`grant execute on function ${long} to ${role}`)
    shop = new pg.Client(Object.assign(new URL(database.url), { username: role, password: 'secret' }).href)
    await shop.connect()
  })
  afterEach(async () => {
    await shop.end()
    await database.pool.query(`drop owned by ${role}`)
    await database.pool.query(`drop role ${role}`)
  })

  /** What the application may do, and nobody else. */
  async function expectGranted(): Promise<void> {
    await notify(shop)
    await shop.query(`select carillon.notify('t', '{"kind":"tenant"}', '{"long": true}')`)
    const { rows } = await database.pool.query(
      `select has_function_privilege('public', oid, 'execute') as public from pg_proc
       where proname = 'notify' and pronamespace = 'carillon'::regnamespace`,
    )
    expect(rows).toEqual([{ public: false }, { public: false }])
  }

  it.each([
    ['a compatible', true],
    ['an incompatible', false],
  ])('survive %s upgrade with other texts and other functions inside', async (_what, isCompatible) => {
    await upgrade(next({ isCompatible }))
    await expectGranted()
  })

  it('survive upgrade after upgrade', async () => {
    await upgrade(next())
    await upgrade(next({ isCompatible: false, ahead: 2 }))
    await expectGranted()
  })

  it('survive a migrate down', async () => {
    const newer = next()
    await upgrade(newer)
    await migrateDown(database.url, 1, () => {}, newer)
    await expectGranted()
    await migrateUp(database.url)
    await expectGranted()
  })
})

it('release.json is of this tree', async () => {
  const { hash } = JSON.parse(readOwn('release.json'))
  expect((await readVersion()).release.hash).toBe(hash)
})
