/** The benchmark's own PostgreSQL, with the settings of a new installation: fsync on. Deleted at the end. */
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { createPool, type Pool } from '../../server/dist/platform/database/pool.js'
import {
  type EmbeddedPostgres,
  startEmbedded,
} from '../../server/dist/platform/embedded-database/embedded.js'
import { postgresCpuMs } from './cpu-time.ts'

export interface Database {
  url: string
  pool: Pool
}

export interface Scratch {
  /** For files of the processes under test. */
  folder: string
  version: string
  createDatabase(name: string): Promise<Database>
  /** Writes everything out now, so that no round pays for what an earlier one left. */
  checkpoint(): Promise<void>
  /** Processor time of the whole server so far; undefined where it cannot be measured. */
  cpuMs(): number | undefined
  close(): Promise<void>
}

export async function openScratch(): Promise<Scratch> {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-bench-'))
  chmodSync(folder, 0o755) // When root runs it, PostgreSQL's own user has to be able to enter.
  const server = await startEmbedded({ dataDir: folder, log: () => {} })
  const removeFiles = () => {
    for (const path of [server.directory, folder]) rmSync(path, { recursive: true, force: true })
  }
  const endInterruptedRun = () => {
    waitUntilDown(server)
    removeFiles()
  }
  process.once('exit', endInterruptedRun)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

  const admin = new pg.Client({ connectionString: server.superuserUrl })
  await admin.connect()
  const { rows } = await admin.query<{ server_version: string }>('show server_version')
  const pools: Pool[] = []

  return {
    folder,
    version: rows[0]!.server_version,
    async createDatabase(name) {
      await admin.query(`create database ${name}`)
      const url = Object.assign(new URL(server.superuserUrl), { pathname: `/${name}` }).href
      const pool = createPool(url, { max: 2 })
      pools.push(pool)
      return { url, pool }
    },
    checkpoint: async () => void (await admin.query('checkpoint')),
    cpuMs: () => postgresCpuMs(server.directory),
    async close() {
      await Promise.all(pools.map(pool => pool.end()))
      await admin.end()
      await server.stop()
      process.removeListener('exit', endInterruptedRun)
      removeFiles()
    },
  }
}

/** An exiting process can no longer await; its server was told to stop and removes this file last. */
function waitUntilDown(server: EmbeddedPostgres): void {
  const pause = new Int32Array(new SharedArrayBuffer(4))
  const deadline = Date.now() + 5_000
  while (existsSync(join(server.directory, 'postmaster.pid')) && Date.now() < deadline) {
    Atomics.wait(pause, 0, 0, 20)
  }
}
