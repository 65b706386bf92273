import { pino } from 'pino'
import { afterEach, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { createPool } from '../../platform/database/pool.ts'
import { type App, createHttpServer } from '../../platform/http/server.ts'
import { healthRoutes } from './health-routes.ts'
import { createMetrics } from './metrics.ts'

let app: App | undefined
let database: TestDatabase | undefined
afterEach(async () => {
  await app?.close()
  await database?.drop()
  ;[app, database] = [undefined, undefined]
})

async function serve(pool: ReturnType<typeof createPool>, isServing = () => true): Promise<App> {
  app = await createHttpServer({ log: pino({ level: 'silent' }), authenticate: async () => undefined })
  healthRoutes(app, createMetrics(pool), { pool, isServing })
  return app
}
const ask = async (path: string) => {
  const response = await app!.inject(path)
  return [response.statusCode, response.json().status]
}

it('/metrics with a key is only for requests that have the key', async () => {
  database = await createTestDatabase()
  app = await createHttpServer({ log: pino({ level: 'silent' }), authenticate: async () => undefined })
  const { pool } = database
  healthRoutes(app, createMetrics(pool), { pool, isServing: () => true, metricsKey: 'of prometheus' })
  const status = async (authorization?: string) =>
    (await app!.inject({ url: '/metrics', headers: authorization ? { authorization } : {} })).statusCode
  expect(await status()).toBe(401)
  expect(await status('Bearer of somebody')).toBe(401)
  expect(await status('Bearer of prometheus')).toBe(200)
  expect((await app.inject('/readyz')).statusCode).toBe(200)
})

it('a healthy process is alive and ready', { tags: 'S000-34' }, async () => {
  database = await createTestDatabase()
  await serve(database.pool)
  expect([await ask('/healthz'), await ask('/readyz')]).toEqual([
    [200, 'ok'],
    [200, 'ready'],
  ])
})

it('a stopping process is alive but not ready, so that it gets no more requests', {
  tags: 'S000-34',
}, async () => {
  database = await createTestDatabase()
  let isServing = true
  await serve(database.pool, () => isServing)
  expect(await ask('/readyz')).toEqual([200, 'ready'])
  isServing = false
  expect([await ask('/healthz'), await ask('/readyz')]).toEqual([
    [200, 'ok'],
    [503, 'stopping'],
  ])
})

it('a process without its database is alive but not ready, and ready again when the database is back', {
  tags: 'S000-34',
}, async () => {
  database = await createTestDatabase()
  const { pool } = database
  await serve(pool)
  const name = new URL(database.url).pathname.slice(1)
  const server = createPool(Object.assign(new URL(database.url), { pathname: '/postgres' }).href, {
    max: 1,
  })
  await server.query(`alter database ${name} allow_connections false`)
  await server.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
  await expect.poll(() => ask('/readyz')).toEqual([503, 'database unreachable'])
  expect(await ask('/healthz')).toEqual([200, 'ok'])
  await server.query(`alter database ${name} allow_connections true`)
  await server.end()
  await expect.poll(() => ask('/readyz')).toEqual([200, 'ready'])
})

it('a process whose database is read-only is not ready', async () => {
  database = await createTestDatabase()
  const reader = createPool(database.url, { max: 1 })
  await serve(reader)
  await reader.query('set default_transaction_read_only = on')
  expect(await ask('/readyz')).toEqual([503, 'database read-only'])
  await reader.query('set default_transaction_read_only = off')
  expect(await ask('/readyz')).toEqual([200, 'ready'])
  await reader.end()
})

it('a process that cannot reach its database says so instead of hanging', { tags: 'S000-34' }, async () => {
  const pool = createPool('postgres://nobody@127.0.0.1:1/none')
  await serve(pool)
  expect(await ask('/readyz')).toEqual([503, 'database unreachable'])
  await pool.end()
})
