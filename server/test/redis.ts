/** Gives a test file its own Redis, which the test may kill. */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, inject } from 'vitest'
import { type RedisProcess, startRedis } from './redis-process.ts'
import { canRun } from './server-process.ts'

/** Where Redis is missing and cannot be installed, its tests are skipped; in CI that is a failure. */
export const canStartRedis = canRun('redis-server') || process.env.CI === 'true'

/** A Redis that is already running; tests that only count may use it. */
export const givenRedisUrl = process.env.REDIS_URL

/** With `isDurable` it keeps its data when it is killed. */
export function useRedis({ isDurable = false } = {}): RedisProcess {
  let folder = ''
  let server: RedisProcess
  beforeAll(async () => {
    folder = mkdtempSync(join(inject('scratchDir'), 'redis-'))
    server = await startRedis(folder, isDurable)
  })
  afterAll(async () => {
    await server?.kill()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    get url() {
      return server.url
    },
    kill: () => server.kill(),
    pause: () => server.pause(),
    resume: () => server.resume(),
    restart: () => server.restart(),
  }
}
