/** When backups are made, and when operators hear that they are not. */
import { randomUUID } from 'node:crypto'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { selectSystemEvents } from '../../oversight/system-events/queries.ts'
import { openFiles } from '../../platform/backups/envelope.ts'
import { basesFolder, listBackups, writeManifest } from '../../platform/backups/manifest.ts'
import { type Config, loadConfig } from '../../platform/config/config.ts'
import { migrateUp } from '../../platform/database/migrate.ts'
import { createPool, type Pool } from '../../platform/database/pool.ts'
import { type EmbeddedPostgres, startEmbedded } from '../../platform/embedded-database/embedded.ts'
import { archiveFolder, archivingPeriod } from '../../platform/embedded-database/embedded-archive.ts'
import { createWake } from '../../platform/queue/wake.ts'
import { addMasterKey } from '../../platform/secrets/master-key.ts'
import type { BackupState } from './backup-state.ts'
import { createBackupRound } from './schedule.ts'

const HOUR_MS = 3600 * 1000
let parent: string
let config: Config
let server: EmbeddedPostgres
let pool: Pool
let clock: Date
const told: string[] = []
let state: BackupState

const start = (archiveDir?: string, settings: Record<string, string> = {}) =>
  startEmbedded({
    dataDir: config.dataDir,
    log: () => {},
    settings: { fsync: 'off', ...settings },
    archiveDir,
  })
const round = (more: Partial<Config> = {}) =>
  createBackupRound({
    config: { ...config, ...more },
    server: { ownerUrl: server.ownerUrl, cluster: server.directory },
    pool,
    wake: createWake(),
    now: () => clock,
    onMade: ({ backup, expired }) => told.push(`made ${backup.timeline}, deleted ${expired.backups.length}`),
    onState: now => {
      state = now
    },
    onError: error => told.push((error as Error).message),
  })
/** The system events of the instance; here is no tenant whose key could ask for them. */
const openEvents = async () => {
  const ofInstance = { wholeInstance: true, resolved: false, after: undefined, limit: 100 }
  const events = await selectSystemEvents(pool, randomUUID(), ofInstance)
  return events.map(({ event_type }) => event_type)
}

beforeAll(async () => {
  parent = mkdtempSync(join(inject('scratchDir'), 'schedule-'))
  chmodSync(parent, 0o755)
  config = loadConfig({
    CARILLON_DATA_DIR: join(parent, 'data'),
    CARILLON_BACKUP_DIR: join(parent, 'backups'),
    CARILLON_BACKUP_PASSPHRASE: 'long enough for this',
  })
  server = await start(archiveFolder(config))
  await migrateUp(server.ownerUrl)
  pool = createPool(server.url)
  clock = new Date()
})
afterAll(async () => {
  await pool.end()
  await server.stop()
  rmSync(parent, { recursive: true, force: true })
})

it('the schedule makes a full backup at first, and then every day', { tags: 'S002-31' }, async () => {
  const look = round()
  await look()
  await look()
  expect(told).toEqual(['made 1, deleted 0'])
  clock = new Date(state.lastBackupAt!.getTime() + 24 * HOUR_MS - 1)
  expect(await look()).toBeLessThanOrEqual(60_000)
  expect(told).toHaveLength(1)
  clock = new Date(clock.getTime() + 1)
  await look()
  expect(told).toHaveLength(2)
  expect(await listBackups(config.backupDir!)).toHaveLength(2)
  expect(await openEvents()).toEqual([])
})

it('a changed master key is backed up at once', async () => {
  told.length = 0
  const look = round()
  await look()
  expect(told).toEqual([])
  const { currentId } = await addMasterKey(config)
  await look()
  expect(told).toEqual([expect.stringMatching(/^made 1/)])
  const newest = (await listBackups(config.backupDir!)).at(-1)!
  expect(newest.master_key_ids[0]).toBe(currentId)
  const { 'master-key': keys } = await openFiles(newest.keys, config.CARILLON_BACKUP_PASSPHRASE, newest.id)
  expect(keys!.trim().split('\n')).toHaveLength(2)
})

it('a clock that was set back neither ends backups nor makes one after the other', async () => {
  // The newest was made while the clock was wrong.
  const newest = (await listBackups(config.backupDir!)).at(-1)!
  const bases = basesFolder(config.backupDir!)
  renameSync(join(bases, newest.id), join(bases, '20990101T000000Z-aaaaaa'))
  await writeManifest(join(bases, '20990101T000000Z-aaaaaa'), {
    ...newest,
    id: '20990101T000000Z-aaaaaa',
    started_at: '2099-01-01T00:00:00.000Z',
    stopped_at: '2099-01-01T00:00:10.000Z',
  })
  told.length = 0
  clock = new Date()
  const look = round()
  await look()
  await look()
  expect(told).toHaveLength(1)
  // One that seems to be newer than all others does not have the key, and never will.
  await addMasterKey(config)
  await look()
  await look()
  expect(told).toHaveLength(2)
})

it('failing backups are retried, and raise a system event until one succeeds', async () => {
  told.length = 0
  const look = round({ backupDir: join(parent, 'elsewhere') })
  await look()
  await look()
  expect(told).toEqual([expect.stringContaining('does not archive its log')])
  clock = new Date(clock.getTime() + 31 * HOUR_MS)
  await look()
  expect(told).toHaveLength(2)
  expect(await openEvents()).toEqual(['backup_overdue'])
  clock = new Date()
  await round()()
  expect(await openEvents()).toEqual([])
})

it('a log that cannot be archived raises a system event', async () => {
  await server.stop()
  server = await startEmbedded({
    dataDir: config.dataDir,
    log: () => {},
    settings: { fsync: 'off', archive_mode: 'on', archive_command: 'false' },
  })
  await pool.end()
  pool = createPool(server.url)
  const switched = createPool(server.superuserUrl)
  await switched.query('select pg_switch_wal()')
  await switched.end()
  const look = round()
  await expect.poll(() => look().then(() => state.archiveFailure?.segment), { timeout: 20_000 }).toMatch(/^0/)
  expect(await openEvents()).toContain('backup_archive_failing')
})

it('a start without an archive leaves a gap, so the next start with one makes a new backup', async () => {
  expect(archivingPeriod(config.dataDir)).toBeUndefined()
  await pool.end()
  await server.stop()
  server = await start(archiveFolder(config))
  pool = createPool(server.url)
  told.length = 0
  clock = new Date()
  await round()()
  expect(told).toEqual([expect.stringMatching(/^made 1/)])
  expect(state.archiveFailure).toBeUndefined()
  expect(await openEvents()).toEqual([])
  expect(readdirSync(join(parent, 'backups', 'base')).some(name => name.includes('unfinished'))).toBe(false)
})

it('a start that archives elsewhere leaves a gap, so the next start makes a new backup', async () => {
  for (const folder of ['other', 'backups']) {
    await pool.end()
    await server.stop()
    server = await start(join(parent, folder, 'wal'))
    pool = createPool(server.url)
  }
  told.length = 0
  clock = new Date()
  await round()()
  expect(told).toEqual([expect.stringMatching(/^made 1/)])
})

it('the log is archived in time after a crash', async () => {
  const postmaster = Number(readFileSync(join(server.directory, 'postmaster.pid'), 'utf8').split('\n')[0])
  await pool.end()
  const died = new Promise<string>(resolve => server.onExit(resolve))
  process.kill(postmaster, 'SIGKILL')
  await died
  await server.stop()
  server = await start(archiveFolder(config), { archive_timeout: '1' })
  pool = createPool(server.url)
  const superuser = createPool(server.superuserUrl)
  await superuser.query('create table public.marks (name text)')
  const archived = async () =>
    (await superuser.query('select archived_count::integer as count from pg_stat_archiver')).rows[0]!.count
  // PostgreSQL itself would think of it when the first checkpoint is due, after five minutes.
  await expect.poll(archived, { timeout: 60_000 }).toBeGreaterThan(0)
  await superuser.end()
})
