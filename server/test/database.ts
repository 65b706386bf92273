/** Gives every test file its own database: a clone of the migrated template. */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, inject } from 'vitest'
import { createPool } from '../src/platform/database/pool.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** URL of the test server, for its superuser. */
    postgresUrl: string
    /** A folder for files of tests; it is removed after the run, even an interrupted one. */
    scratchDir: string
  }
}

export const templateDatabase = 'carillon_template'

export interface TestDatabase {
  url: string
  pool: pg.Pool
  drop(): Promise<void>
}

export interface TestDatabaseOptions {
  template?: string
  /** Run in the new database before anything else. */
  prepare?: string
  /** Run on every connection of the pool before anything else. */
  onConnect?: string
}

/** Makes a tenant by SQL that takes notifications of any type, as the first one of an instance does. */
export const A_TENANT = `insert into tenants (id, name) values (gen_random_uuid(), 'default');
  update tenant_settings set accept_unknown_types = true`

/** Cloning takes 0.1 s or more, so the tests of a file should share one. */
export async function createTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const { template = templateDatabase, prepare, onConnect } = options
  const name = `test_${randomBytes(6).toString('hex')}`
  await administer(`create database ${name} template ${template} strategy file_copy`)
  const url = databaseUrl(inject('postgresUrl'), name)
  if (prepare !== undefined) await administer(prepare, url)
  const pool = createPool(url)
  // The pool waits for it, although its type says otherwise.
  if (onConnect !== undefined)
    pool.options.onConnect = client => client.query(onConnect) as unknown as undefined
  return {
    url,
    pool,
    drop: async () => {
      await pool.end()
      await administer(`drop database ${name} with (force)`)
    },
  }
}

/** A database for all tests of the calling file or describe block; use its members inside tests and hooks only. */
export function useDatabase(): Pick<TestDatabase, 'url' | 'pool'> {
  let database: TestDatabase | undefined
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database?.drop())
  const opened = () => {
    if (!database) throw new Error('useDatabase() gives its url and pool only while tests and hooks run')
    return database
  }
  return {
    get url() {
      return opened().url
    },
    get pool() {
      return opened().pool
    },
  }
}

/** The same server, another database. */
export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

async function administer(statement: string, url = inject('postgresUrl')): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
