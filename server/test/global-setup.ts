/** One PostgreSQL for the whole test run, with a migrated template that tests clone. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { migrateUp } from '../src/platform/database/migrate.ts'
import { type EmbeddedPostgres, startEmbedded } from '../src/platform/embedded-database/embedded.ts'
import { holdDataFolder } from '../src/platform/embedded-database/embedded-lock.ts'
import { stopOrphan } from '../src/platform/embedded-database/embedded-postmaster.ts'
import { databaseUrl, templateDatabase } from './database.ts'

const runPrefix = 'carillon-tests-'

// Test data need not survive a crash of the machine. These settings are for tests only, never for the product.
const settings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '200',
  shared_buffers: '32MB',
  // When it comes, and what it costs whoever runs then, would differ from run to run.
  autovacuum: 'off',
}

export default async function startDatabase(project: TestProject): Promise<() => Promise<void>> {
  await sweepKilledRuns()
  const run = mkdtempSync(join(tmpdir(), runPrefix))
  const scratchDir = join(run, 'scratch')
  mkdirSync(scratchDir)
  // When root runs the tests, PostgreSQL's own user has to be able to enter.
  for (const folder of [run, scratchDir]) chmodSync(folder, 0o755)
  const server = await startEmbedded({ dataDir: join(run, 'data'), settings, log: () => {} })
  const removeFiles = () => {
    for (const folder of [server.directory, run]) rmSync(folder, { recursive: true, force: true })
  }
  const endInterruptedRun = () => {
    waitUntilDown(server)
    removeFiles()
  }
  process.once('exit', endInterruptedRun)
  await createTemplate(server.superuserUrl)
  project.provide('postgresUrl', server.superuserUrl)
  project.provide('scratchDir', scratchDir)

  return async () => {
    await server.stop()
    process.removeListener('exit', endInterruptedRun)
    removeFiles()
  }
}

async function createTemplate(url: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(`create database ${templateDatabase}`)
  await client.end()
  await migrateUp(databaseUrl(url, templateDatabase))
}

/** An exiting process can no longer await; its server was told to stop and removes this file last. */
function waitUntilDown(server: EmbeddedPostgres): void {
  const pause = new Int32Array(new SharedArrayBuffer(4))
  const deadline = Date.now() + 5_000
  while (existsSync(join(server.directory, 'postmaster.pid')) && Date.now() < deadline) {
    Atomics.wait(pause, 0, 0, 20)
  }
}

/** A run ended by kill -9 leaves its server running; nobody else would ever stop it. */
async function sweepKilledRuns(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter(entry => entry.startsWith(runPrefix))) {
    const run = join(tmpdir(), name)
    const dataDir = join(run, 'data')
    if (!existsSync(join(dataDir, 'carillon.lock'))) continue
    try {
      holdDataFolder(dataDir)
      await stopOrphan(join(dataDir, 'postgres'), () => {})
      rmSync(run, { recursive: true, force: true })
    } catch {
      // A run that is still in progress, or another user's.
    }
  }
}
