import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { useDatabase } from '../../../test/database.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { createClient, createPool, transaction } from './pool.ts'

const database = useDatabase()

it('a connection lost between two statements of a transaction fails it, and neither the process nor the pool', async () => {
  const lost = transaction(database.pool, async tx => {
    const { rows } = await tx.query<{ pid: number }>('select pg_backend_pid() as pid')
    const { pid } = rows[0]!
    await database.pool.query('select pg_terminate_backend($1)', [pid])
    const backend = 'select from pg_stat_activity where pid = $1'
    await waitFor(async () => (await database.pool.query(backend, [pid])).rowCount === 0, {
      what: 'the connection to be gone',
    })
    await tx.query('select 1')
  })
  await expect(lost).rejects.toThrow(/terminat|connection error/)
  expect(await transaction(database.pool, async tx => (await tx.query('select 1 as one')).rows)).toEqual([
    { one: 1 },
  ])
})

it('of a server that has few connections left, everybody waits for one of those there are', async () => {
  const role = `few_${randomBytes(4).toString('hex')}`
  await database.pool.query(`create role ${role} login password '${role}' connection limit 2`)
  const url = Object.assign(new URL(database.url), { username: role, password: role }).href
  const pool = createPool(url, { max: 10 })
  // Ten that come at once to a server without any of theirs may all be counted before one is let in.
  await pool.query('select 1')
  const sessions = await Promise.all(
    Array.from({ length: 50 }, () => pool.query('select pg_backend_pid() as pid, pg_sleep(0.001)')),
  )
  expect(new Set(sessions.map(({ rows }) => rows[0].pid)).size).toBeLessThanOrEqual(2)

  await database.pool.query(`alter role ${role} connection limit -1`)
  await waitFor(
    async () => {
      await Promise.all(Array.from({ length: 10 }, () => pool.query('select pg_sleep(0.01)')))
      return pool.totalCount === 10
    },
    { what: 'the pool to grow again' },
  )
  await pool.end()
  await database.pool.query(`drop role ${role}`)
})

it('a server that has no connection left refuses at once', async () => {
  const role = `none_${randomBytes(4).toString('hex')}`
  await database.pool.query(`create role ${role} login password '${role}' connection limit 0`)
  const url = Object.assign(new URL(database.url), { username: role, password: role }).href
  const pool = createPool(url, { max: 10 })
  const refused = await Promise.allSettled(Array.from({ length: 50 }, () => pool.query('select 1')))
  const reasons = refused.map(result => (result as PromiseRejectedResult).reason.message)
  expect(new Set(reasons)).toEqual(new Set([`too many connections for role "${role}"`]))
  await pool.end()
  await database.pool.query(`drop role ${role}`)
})

it.each(['search_path=public', 'statement_timeout=1234'])(
  'options in the address (%s) add to what every connection needs, and replace none of it',
  async setting => {
    const address = new URL(database.url)
    address.searchParams.set('options', `-c ${setting}`)
    const pool = createPool(address.href, { max: 1 })
    const client = createClient(address.href)
    await client.connect()
    for (const connection of [pool, client]) {
      const { rows } = await connection.query(
        `select current_setting('search_path') as path, current_setting('jit') as jit,
           current_setting('statement_timeout') as timeout`,
      )
      const timeout = setting.startsWith('statement') ? '1234ms' : '0'
      expect(rows).toEqual([{ path: 'carillon', jit: 'off', timeout }])
    }
    await Promise.all([pool.end(), client.end()])
  },
)
