/** Gives a test file its own Redis, which the test may kill. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, inject } from 'vitest'
import { waitFor } from './wait-for.ts'

export interface TestRedis {
  readonly url: string
  /** Ends it as a crash would: its data is gone. */
  kill(): Promise<void>
  /** Keeps it from answering while its connections stay open. */
  pause(): void
  resume(): void
  /** Starts it again, on the same port and empty. */
  restart(): Promise<void>
}

/** Where Redis is missing and cannot be installed, its tests are skipped; in CI that is a failure. */
export const canStartRedis = findRedis() || process.env.CI === 'true'

/** A Redis that is already running; tests that only count may use it. */
export const givenRedisUrl = process.env.REDIS_URL

export function useRedis(): TestRedis {
  let port = 0
  let folder = ''
  let server: ChildProcess | undefined

  async function start(): Promise<void> {
    const options = [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--appendonly',
      'no',
      '--dir',
      folder,
    ]
    server = spawn('redis-server', options, { stdio: 'ignore' })
    await waitFor(ping, { what: 'redis-server to answer' })
  }

  async function ping(): Promise<boolean> {
    const client = new Redis(redis.url, { lazyConnect: true, retryStrategy: () => null })
    client.on('error', () => {})
    try {
      await client.connect()
      return (await client.ping()) === 'PONG'
    } finally {
      client.disconnect()
    }
  }

  async function end(): Promise<void> {
    if (server?.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill('SIGKILL')
    await ended
  }

  beforeAll(async () => {
    port = await freePort()
    folder = mkdtempSync(join(inject('scratchDir'), 'redis-'))
    await start()
  })
  afterAll(async () => {
    await end()
    rmSync(folder, { recursive: true, force: true })
  })

  const redis: TestRedis = {
    get url() {
      return `redis://127.0.0.1:${port}`
    },
    kill: end,
    pause: () => void server?.kill('SIGSTOP'),
    resume: () => void server?.kill('SIGCONT'),
    restart: start,
  }
  return redis
}

function findRedis(): boolean {
  const isThere = () => spawnSync('redis-server', ['--version']).status === 0
  if (isThere()) return true
  if (process.getuid?.() !== 0) return false
  try {
    installRedis()
  } catch {
    return false
  }
  return isThere()
}

/** A fresh image has no package lists yet; a second test file waits until the first one has installed it. */
function installRedis(): void {
  const run = (...command: string[]) =>
    execFileSync('apt-get', ['-o', 'DPkg::Lock::Timeout=100', ...command], {
      stdio: 'ignore',
      timeout: 120_000,
    })
  const install = () => run('install', '-y', '--no-install-recommends', 'redis-server')
  try {
    install()
  } catch {
    run('update')
    install()
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}
