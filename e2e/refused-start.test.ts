import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../server/test/database.ts'
import { freePort } from '../server/test/free-port.ts'
import { runCarillon, type Settings } from './carillon-process.ts'
import { type DataFolder, makeDataFolder } from './data-folder.ts'

// Whole processes start in every test, possibly on a machine that is busy with something else.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

let folder: DataFolder
let database: TestDatabase

beforeAll(async () => {
  folder = makeDataFolder(inject('scratchDir'))
  database = await createTestDatabase()
})
afterAll(async () => {
  await database.drop()
  await folder.remove()
})

/** Starts with the settings and returns what an operator reads after it ended. */
async function refusalOf(settings: Settings, launcher: string[] = []): Promise<string> {
  const all = { PORT: '0', CARILLON_DATA_DIR: folder.path, ...settings }
  const carillon = runCarillon(['start'], all, undefined, launcher)
  expect(await carillon.exited).toEqual({ code: 1, signal: null })
  expect(carillon.stderr).not.toMatch(/\n\s+at /) // A message for people, not a stack.
  return carillon.stderr
}

test('all bad settings are named at once, with what was expected and probably meant', {
  tags: 'S000-34',
}, async () => {
  const message = await refusalOf({ PORT: 'eighty', CARILLON_LEASE_SECOND: '3', CARILLON_LOG_LEVEL: 'loud' })
  expect(message).toContain('PORT: Expected a whole number from 0 to 65535. Got "eighty".')
  expect(message).toContain('CARILLON_LEASE_SECOND is not a setting; did you mean CARILLON_LEASE_SECONDS?')
  expect(message).toContain('CARILLON_LOG_LEVEL')
  expect(folder.postmaster()).toBeUndefined()
})

test('a provider without its address is a contradiction that is named', { tags: 'S000-34' }, async () => {
  expect(await refusalOf({ CARILLON_PROVIDERS: 'sms=http' })).toContain(
    'CARILLON_PROVIDERS names http, but CARILLON_HTTP_PROVIDER_URL is empty.',
  )
})

test('an unreachable database ends the start and is named without its password', {
  tags: 'S000-34',
}, async () => {
  const port = await freePort()
  const message = await refusalOf({ DATABASE_URL: `postgres://who:secret@127.0.0.1:${port}/shop` })
  expect(message).toContain(`PostgreSQL at 127.0.0.1:${port}/shop cannot be used`)
  expect(message).toContain('Check DATABASE_URL and that the server is running')
  expect(message).not.toContain('secret')
})

test('a wrong password is reported as such', { tags: 'S000-34' }, async () => {
  const url = new URL(database.url)
  url.password = 'wrong'
  const message = await refusalOf({ DATABASE_URL: url.href })
  expect(message).toMatch(/password authentication failed.*\n.*Check DATABASE_URL/)
})

test('a database that a newer Carillon migrated is left alone', { tags: 'S000-34' }, async () => {
  await database.pool.query("insert into pgmigrations (name, run_on) values ('9999_from_the_future', now())")
  const message = await refusalOf({ DATABASE_URL: database.url })
  expect(message).toContain('migrated by a newer Carillon (9999_from_the_future)')
  expect(message).toContain('Start that version')
  await database.pool.query("delete from pgmigrations where name = '9999_from_the_future'")
})

test('a process that may open too few files to start says so', async () => {
  const message = await refusalOf({}, ['sh', '-c', 'ulimit -n 40 && exec "$@"', 'sh'])
  expect(message).toContain('may open only 40 files. Raise the limit (`ulimit -n 4096`)')
})

test('a first key that cannot be stored is not created, so that the next start can create one', async () => {
  const blocked = join(folder.path, '..', 'a-file')
  writeFileSync(blocked, '')
  const message = await refusalOf({ DATABASE_URL: database.url, CARILLON_DATA_DIR: join(blocked, 'data') })
  expect(message).toContain('The first API key cannot be written to')
  expect(message).toContain('Set CARILLON_DATA_DIR')
  expect((await database.pool.query('select from tenants')).rowCount).toBe(0)
})

test('a port in use is named, and the embedded database goes down again', { tags: 'S000-34' }, async () => {
  const taker = createServer().listen(0, '127.0.0.1')
  await once(taker, 'listening')
  try {
    const { port } = taker.address() as { port: number }
    const message = await refusalOf({ PORT: String(port) })
    expect(message).toContain(`Port ${port} on 127.0.0.1 is in use`)
    expect(message).toContain('set PORT to another port')
    expect(message).not.toContain('a round failed')
    expect(folder.postmaster()).toBeUndefined()
  } finally {
    taker.close()
  }
})
