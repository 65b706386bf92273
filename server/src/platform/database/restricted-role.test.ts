/** Carillon as an ordinary role: without rights on the database itself, and with settings that others gave it. */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { A_TENANT, createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { describeAll } from '../../../test/describe-all.ts'
import { makeVersionFolder, readOwn } from '../../../test/version-folder.ts'
import { migrateDown, migrateUp, migrationStatus } from './migrate.ts'
import { createPool } from './pool.ts'

let database: TestDatabase
let role: string
let url: string
beforeEach(async () => {
  database = await createTestDatabase({ template: 'template1' })
  role = `Carillon-${randomBytes(4).toString('hex')}`
  await database.pool.query(`create role "${role}" login password 'secret'`)
  url = Object.assign(new URL(database.url), { username: role, password: 'secret' }).href
})
afterEach(async () => {
  await database.drop()
  const server = new pg.Client(inject('postgresUrl'))
  await server.connect()
  await server.query(`drop role "${role}"`)
  await server.end()
})

const prepareSchema = () => database.pool.query(`create schema carillon authorization "${role}"`)
const other = () =>
  makeVersionFolder(inject('scratchDir'), {
    files: {
      'migrations/9000_added.sql':
        '-- Up Migration\nalter table records add column mood text;\n-- Down Migration\nalter table records drop column mood;\n',
      'functions/intents/notify.sql': `${readOwn('functions/intents/notify.sql')}\n-- another text\n`,
    },
  })
const upgrade = (folder: string) => migrateUp(url, () => {}, folder)

describe('a role that may not create schemas', () => {
  it('starts, upgrades and goes back in the schema that it was given', async () => {
    await prepareSchema()
    expect(await migrateUp(url)).not.toEqual([])
    expect(await migrateUp(url)).toEqual([])
    const newer = other()
    expect(await upgrade(newer)).toEqual(['9000_added'])
    expect(await migrateDown(url, 1, () => {}, newer)).toEqual(['9000_added'])
    expect(await migrateUp(url)).toEqual([])
    expect((await migrationStatus(url)).standing).toBe('current')
  })

  it('without the schema is told what an administrator has to run', async () => {
    await expect(migrateUp(url)).rejects.toThrow(`create schema carillon authorization "${role}"`)
    await prepareSchema()
    expect(await migrateUp(url)).not.toEqual([])
  })
})

describe('grants to everybody', () => {
  const mayEverybody = async (): Promise<boolean[]> =>
    (
      await database.pool.query(
        `select has_function_privilege('public', oid, 'execute') as may from pg_proc
         where proname = 'notify' and pronamespace = 'carillon'::regnamespace order by pronargs`,
      )
    ).rows.map(row => row.may)

  beforeEach(async () => {
    await prepareSchema()
    await migrateUp(url)
  })

  it('are not given by Carillon, even where a database gives them by default', async () => {
    expect(await mayEverybody()).toEqual([false, false])
    await migrateDown(url, (await migrationStatus(url)).applied.length)
    await database.pool.query(
      `alter default privileges for role "${role}" in schema carillon grant execute on functions to public`,
    )
    await migrateUp(url)
    expect(await mayEverybody()).toEqual([false, false])
  })

  it('survive upgrades, and going back', async () => {
    await database.pool.query('grant execute on function carillon.notify(jsonb) to public')
    const newer = other()
    await upgrade(newer)
    expect(await mayEverybody()).toEqual([true, false])
    await migrateDown(url, 1, () => {}, newer)
    expect(await mayEverybody()).toEqual([true, false])
    await migrateUp(url)
    expect(await mayEverybody()).toEqual([true, false])
  })
})

describe('settings of the role', () => {
  const HOSTILE = {
    standard_conforming_strings: 'off',
    search_path: 'public, pg_catalog',
    lock_timeout: '1',
    statement_timeout: '1',
    default_transaction_read_only: 'on',
    default_transaction_isolation: 'serializable',
    quote_all_identifiers: 'on',
  }
  /** What cannot be worked with at all. */
  const AT_WORK = '-c statement_timeout=0 -c default_transaction_read_only=off'
  beforeEach(async () => {
    await prepareSchema()
    for (const [name, value] of Object.entries(HOSTILE))
      await database.pool.query(`alter role "${role}" set ${name} = ${value}`)
  })

  it('change nothing about what is installed, upgraded and undone', async () => {
    const usual = await createTestDatabase()
    const expected = await describeAll(usual.pool)
    await usual.drop()
    await migrateUp(url)
    expect(await describeAll(database.pool)).toBe(expected)
    const newer = other()
    await upgrade(newer)
    await migrateDown(url, 1, () => {}, newer)
    await migrateUp(url)
    expect(await describeAll(database.pool)).toBe(expected)
    await migrateDown(url, (await migrationStatus(url)).applied.length)
    expect((await migrationStatus(url)).applied).toEqual([])
  })

  it('do not end the wait for another process that migrates', async () => {
    const migrating = await database.pool.connect()
    await migrating.query('select pg_advisory_lock(7241865325823964)')
    const lines: string[] = []
    const start = migrateUp(url, line => lines.push(line))
    await expect.poll(() => lines).toEqual(['waiting for another process that migrates'])
    migrating.release(true)
    expect(await start).not.toEqual([])
  })

  it('do not change how an application’s intents are read', async () => {
    await migrateUp(url)
    await database.pool.query(A_TENANT)
    const application = new pg.Client({ connectionString: url, options: AT_WORK })
    await application.connect()
    const notify = (intent: object) =>
      application.query('select carillon.notify($1::jsonb)', [
        { notification_type: 't', audience: { kind: 'tenant' }, payload: {}, ...intent },
      ])
    try {
      await notify({ send_at: '2036-01-31T09:30:00.5+01:00' })
      await notify({ send_at_local: '2036-12-24T09:00' })
      await notify({ notification_type: 'under 0001' })
      await expect(notify({ notification_type: 'a\u0001b' })).rejects.toThrow(/control characters/)
      await expect(notify({ send_at: 'dddd-dd-ddTdd:dd:ddZ' })).rejects.toThrow(/ISO 8601/)
    } finally {
      await application.end()
    }
  })

  it('do not change how Carillon’s own statements are read', async () => {
    const address = new URL(url)
    address.searchParams.set('options', AT_WORK)
    const pool = createPool(address.href, { max: 1 })
    const { rows } = await pool.query(
      `select '\\d' as text, current_setting('search_path') as path, current_setting('transaction_isolation') as isolation`,
    )
    await pool.end()
    expect(rows).toEqual([{ text: '\\d', path: 'carillon', isolation: 'read committed' }])
  })
})
