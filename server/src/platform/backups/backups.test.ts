/** Backups of a server at work, its archive, and what can be made from them. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { waitFor } from '../../../test/wait-for.ts'
import { loadConfig } from '../config/config.ts'
import { type EmbeddedPostgres, startEmbedded } from '../embedded-database/embedded.ts'
import { archiveCommand, restoreCommand } from '../embedded-database/embedded-archive.ts'
import { openDatabase } from '../embedded-database/open.ts'
import { takeBaseBackup } from './base-backup.ts'
import { chooseBackup } from './choose.ts'
import { readDataFiles } from './data-files.ts'
import { openFiles, sealFiles } from './envelope.ts'
import { expireBackups } from './expire.ts'
import { containerOf, listBackups, type Manifest, readBackups, writeManifest } from './manifest.ts'
import { restoreBackup } from './restore.ts'

const PASSPHRASE = 'a passphrase of the tests'
const settings = { fsync: 'off' }
const log = () => {}
let parent: string
let folder: string
let server: EmbeddedPostgres
let backup: Manifest
let between: Date

async function ask(url: string, text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query(text, values)).rows
  } finally {
    await client.end()
  }
}
const write = (name: string) => ask(server.ownerUrl, 'insert into public.marks values ($1)', [name])
const marks = async (url: string) =>
  (await ask(url, 'select name from public.marks order by name')).map(({ name }) => name)
const clock = async () => (await ask(server.ownerUrl, 'select clock_timestamp() as now'))[0]!.now as Date

async function archiveEverything(): Promise<void> {
  const [row] = await ask(server.superuserUrl, 'select pg_walfile_name(pg_switch_wal()) as name')
  await waitFor(async () => existsSync(join(folder, 'wal', `${row!.name}.gz`)), { what: 'the archive' })
}
const take = async () =>
  takeBaseBackup({
    ownerUrl: server.ownerUrl,
    cluster: server.directory,
    folder,
    passphrase: PASSPHRASE,
    dataFiles: await readDataFiles(loadConfig({ CARILLON_DATA_DIR: join(parent, 'data') })),
    masterKeyIds: [],
    archiving: 'a period',
  })
const restore = (target: Date | 'latest', more: object = {}) =>
  restoreBackup({
    folder,
    target,
    dataDir: join(parent, 'restored'),
    passphrase: PASSPHRASE,
    log,
    settings,
    ...more,
  })

const isSegment = (name: string) => /^[0-9A-F]{24}\.gz$/.test(name)

/** To PostgreSQL's user, when root runs the tests. */
function giveArchive(copy: string): void {
  const { uid, gid } = statSync(join(folder, 'wal'))
  for (const name of ['', ...readdirSync(join(copy, 'wal'))]) chownSync(join(copy, 'wal', name), uid, gid)
}

/** Runs what is in the restored folder, and removes it afterwards. */
async function inRestored(
  work: (restored: EmbeddedPostgres) => Promise<void>,
  archiveDir?: string,
): Promise<void> {
  const dataDir = join(parent, 'restored')
  const restored = await startEmbedded({ dataDir, log, settings, archiveDir })
  try {
    await work(restored)
  } finally {
    await restored.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

beforeAll(async () => {
  parent = mkdtempSync(join(inject('scratchDir'), "back up's 100% "))
  chmodSync(parent, 0o755)
  folder = join(parent, 'backups')
  server = await startEmbedded({
    dataDir: join(parent, 'data'),
    log,
    settings,
    archiveDir: join(folder, 'wal'),
  })
  await ask(server.ownerUrl, 'create table public.marks (name text)')
  await write('before the backup')
  backup = await take()
  await write('in time')
  between = await clock()
  await write('too late')
  await archiveEverything()
}, 60_000)
afterAll(async () => {
  await server.stop()
  rmSync(parent, { recursive: true, force: true })
})

describe('a backup', () => {
  it('is full, has sizes and checksums, and no keys in the clear', { tags: 'S002-31' }, async () => {
    expect(await listBackups(folder)).toEqual([backup])
    expect(backup.files.at(-1)!.path).toBe('global/pg_control')
    expect(backup.files.map(({ path }) => path)).not.toContain('postmaster.pid')
    expect(backup.bytes).toBe(backup.files.reduce((sum, { bytes }) => sum + bytes, 0))
    expect(backup.stored_bytes).toBeLessThan(backup.bytes)
    const password = readFileSync(join(parent, 'data', 'postgres-password'), 'utf8').trim()
    expect(JSON.stringify(backup)).not.toContain(password)
    expect(await openFiles(backup.keys, PASSPHRASE, backup.id)).toMatchObject({
      'postgres-password': `${password}\n`,
    })
  })

  it('is refused beside a server that archives elsewhere', async () => {
    const attempt = takeBaseBackup({
      ownerUrl: server.ownerUrl,
      cluster: server.directory,
      folder: join(parent, 'elsewhere'),
      passphrase: PASSPHRASE,
      dataFiles: {},
      masterKeyIds: [],
      archiving: 'a period',
    })
    await expect(attempt).rejects.toThrow('CARILLON_BACKUP_DIR')
    expect(existsSync(join(parent, 'elsewhere'))).toBe(false)
  })
})

it('the folder of another database is refused', async () => {
  const other = startEmbedded({
    dataDir: join(parent, 'second data'),
    log,
    settings,
    archiveDir: join(folder, 'wal'),
  })
  await expect(other).rejects.toThrow(/has the log of another database.*CARILLON_BACKUP_DIR/)
})

describe('a restore', () => {
  it('to a point in time loses exactly what came after it', { tags: 'S002-31' }, async () => {
    const { lastCommitAt } = await restore(between)
    expect(lastCommitAt!.getTime()).toBeLessThanOrEqual(between.getTime())
    // Nothing is held back yet, so no process may start on it.
    const config = loadConfig({ CARILLON_DATA_DIR: join(parent, 'restored') })
    await expect(openDatabase(config, log)).rejects.toThrow('is not finished')
    await inRestored(async ({ ownerUrl }) => {
      expect(await marks(ownerUrl)).toEqual(['before the backup', 'in time'])
    })
  })

  it('to the latest has everything, with progress, and begins a timeline that the archive knows', async () => {
    const copied: number[] = []
    const replayed: number[] = []
    await restore('latest', {
      onCopied: (done: number) => copied.push(done),
      onReplayed: (segments: number) => replayed.push(segments),
    })
    expect(copied.at(-1)).toBe(backup.files.length)
    expect(replayed.length).toBeGreaterThan(0)
    const shared = join(parent, 'branch')
    cpSync(folder, shared, { recursive: true })
    giveArchive(shared)
    await inRestored(
      async ({ ownerUrl }) => {
        expect(await marks(ownerUrl)).toEqual(['before the backup', 'in time', 'too late'])
        await ask(ownerUrl, "insert into public.marks values ('on the new timeline')")
      },
      join(shared, 'wal'),
    )
    expect(existsSync(join(shared, 'wal', '00000002.history.gz'))).toBe(true)
    // Follows the branch from a backup that was made before it; and, when asked, the one that was left.
    await restore('latest', { folder: shared })
    await inRestored(async ({ ownerUrl }) => {
      expect(await marks(ownerUrl)).toContain('on the new timeline')
    })
    expect(await chooseBackup(shared, 'latest', 1)).toMatchObject({ timeline: 1 })
    rmSync(shared, { recursive: true })
  })

  it.each([
    ['a time before the first backup', () => restore(new Date('2020-01-01')), /nothing before that/],
    [
      'a time after the archive',
      () => restore(new Date('2099-01-01')),
      /The archive ends at 20.*--to latest/,
    ],
    ['a wrong passphrase', () => restore('latest', { passphrase: 'another passphrase' }), /passphrase/],
    ['an empty folder of backups', () => restore('latest', { folder: parent }), /no complete backup/],
    ['an unknown timeline', () => restore('latest', { timeline: 7 }), /on the way to timeline 7/],
    [
      'a folder in use',
      () => restore('latest', { dataDir: join(parent, 'data') }),
      /not empty \(a Carillon runs/,
    ],
  ])('refuses %s, and leaves nothing behind', async (_what, attempt, reason) => {
    await expect(attempt()).rejects.toThrow(reason)
    const left = join(parent, 'restored')
    expect(existsSync(left) ? readdirSync(left) : []).toEqual([])
  })

  it.each([
    [
      'files whose content changed',
      (copy: string) => {
        const bytes = readFileSync(containerOf(copy, backup))
        bytes[bytes.length - 5]! ^= 1
        writeFileSync(containerOf(copy, backup), bytes)
      },
      /is damaged/,
    ],
    ['files that are gone', (copy: string) => rmSync(containerOf(copy, backup)), /is damaged/],
    [
      'a list of files that was changed',
      (copy: string) => {
        const path = join(copy, 'base', backup.id, 'backup.json')
        writeFileSync(path, readFileSync(path, 'utf8').replace('PG_VERSION', 'PG_WERSION'))
      },
      /backup.json is damaged/,
    ],
    [
      'a gap in the log',
      (copy: string) => {
        const next = Number.parseInt(backup.stop_wal.slice(16), 16) + 1
        const far = `${backup.stop_wal.slice(0, 16)}${(next + 5).toString(16).toUpperCase().padStart(8, '0')}`
        writeFileSync(join(copy, 'wal', `${far}.gz`), '')
      },
      /has a gap/,
    ],
    [
      'a segment of the log that was cut off',
      (copy: string) => {
        const last = join(copy, 'wal', readdirSync(join(copy, 'wal')).filter(isSegment).sort().at(-1)!)
        truncateSync(last, Math.floor(statSync(last).size / 2))
      },
      /wal\/[0-9A-F]{24}\.gz is damaged/,
    ],
    [
      'a timeline whose beginning cannot be read',
      (copy: string) => writeFileSync(join(copy, 'wal', '00000002.history.gz'), 'no gzip'),
      /00000002.history.gz is damaged/,
    ],
  ])('refuses %s', async (_what, damage, reason) => {
    const copy = join(parent, 'damaged')
    cpSync(folder, copy, { recursive: true })
    giveArchive(copy)
    damage(copy)
    await expect(restore('latest', { folder: copy })).rejects.toThrow(reason)
    rmSync(copy, { recursive: true })
  })
})

it('a backup whose list of files is damaged keeps nobody from the others', async () => {
  const copy = join(parent, 'one of two')
  for (const id of [backup.id, '20990101T000000Z-ffffff'])
    cpSync(join(folder, 'base', backup.id), join(copy, 'base', id), { recursive: true })
  writeFileSync(join(copy, 'base', '20990101T000000Z-ffffff', 'backup.json'), '{"id":')
  expect(await listBackups(copy)).toEqual([backup])
  expect((await readBackups(copy)).damages).toEqual([
    expect.objectContaining({ message: expect.stringContaining('ffffff/backup.json is damaged') }),
  ])
  rmSync(copy, { recursive: true })
})

it('a gap in the log is seen although a timeline that was left has a segment of that number', async () => {
  const copy = join(parent, 'two timelines')
  const put = (name: string, text: string) => writeFileSync(join(copy, 'wal', `${name}.gz`), gzipSync(text))
  cpSync(join(folder, 'base', backup.id), join(copy, 'base', backup.id), { recursive: true })
  mkdirSync(join(copy, 'wal'))
  const first = Number.parseInt(backup.stop_wal.slice(16), 16)
  const segment = (timeline: number, after: number) =>
    `0000000${timeline}00000000${(first + after).toString(16).toUpperCase().padStart(8, '0')}`
  for (const after of [0, 1, 2, 3, 4]) put(segment(1, after), '')
  put('00000002.history', `1\t0/${(first + 1).toString(16)}000028\tbefore 2026-03-01\n`)
  expect(await chooseBackup(copy, 'latest')).toMatchObject({
    timeline: 2,
    segments: 2,
    lastBeforeGap: undefined,
  })
  for (const after of [1, 2, 4]) put(segment(2, after), '')
  expect(await chooseBackup(copy, 'latest')).toMatchObject({ timeline: 2, lastBeforeGap: segment(2, 2) })
  expect(await chooseBackup(copy, 'latest', 1)).toMatchObject({ segments: 5, lastBeforeGap: undefined })
  rmSync(copy, { recursive: true })
})

describe('the archive', () => {
  const run = (command: string, name: string, path: string) =>
    execFileSync('/bin/sh', [
      '-c',
      command.replaceAll('%f', name).replaceAll('%p', path).replaceAll('%%', '%'),
    ])

  it('keeps a segment whole, takes it again, and refuses another one under its name', () => {
    const target = join(parent, "it's 100% mine")
    mkdirSync(target)
    const [one, other, back] = ['one', 'other', 'back'].map(name => join(parent, name)) as [
      string,
      string,
      string,
    ]
    writeFileSync(one, 'content')
    writeFileSync(other, 'other content')
    run(archiveCommand(target), 'SEGMENT', one)
    run(archiveCommand(target), 'SEGMENT', one)
    expect(() => run(archiveCommand(target), 'SEGMENT', other)).toThrow()
    expect(() => run(archiveCommand(target), 'MISSING', join(parent, 'missing'))).toThrow()
    run(restoreCommand(target), 'SEGMENT', back)
    expect(readFileSync(back, 'utf8')).toBe('content')
    expect(readdirSync(target)).toEqual(['SEGMENT.gz'])
  })
})

describe('what is kept', () => {
  const DAY_MS = 24 * 3600 * 1000
  it('reaches back 30 days: the backup before them stays, with the log since', {
    tags: 'S002-31',
  }, async () => {
    const copy = join(parent, 'old')
    cpSync(folder, copy, { recursive: true })
    const now = new Date(backup.stopped_at).getTime()
    expect(await expireBackups(copy, { keepDays: 30, atLeast: 1 }, new Date(now + 400 * DAY_MS))).toEqual({
      backups: [],
      segments: 1,
    })
    expect(existsSync(join(copy, 'wal', `${backup.start_wal}.gz`))).toBe(true)
    const newer = await take()
    cpSync(join(folder, 'base', newer.id), join(copy, 'base', newer.id), { recursive: true })
    // One millisecond before, a restore to the beginning of the 30 days still needs the older one.
    const limit = new Date(newer.stopped_at).getTime() + 30 * DAY_MS
    expect((await expireBackups(copy, { keepDays: 30, atLeast: 1 }, new Date(limit - 1))).backups).toEqual([])
    expect((await expireBackups(copy, { keepDays: 30, atLeast: 1 }, new Date(limit))).backups).toEqual([
      backup.id,
    ])
    expect((await listBackups(copy)).map(({ id }) => id)).toEqual([newer.id])
    expect(existsSync(join(copy, 'wal', `${backup.start_wal}.gz`))).toBe(false)
  })

  it('has the log of a backup that was made after a restore had gone back in it', async () => {
    const copy = join(parent, 'gone back')
    const keep = async (id: string, start_wal: string, stopped_at: string) => {
      mkdirSync(join(copy, 'base', id), { recursive: true })
      await writeManifest(join(copy, 'base', id), { ...backup, id, start_wal, stopped_at })
    }
    await keep('20260101', '000000010000000000000050', '2026-01-01T00:00:00.000Z')
    await keep('20260102', '000000020000000000000020', '2026-01-02T00:00:00.000Z')
    mkdirSync(join(copy, 'wal'))
    for (const name of ['00000001000000000000001F', '000000020000000000000020', '000000010000000000000050'])
      writeFileSync(join(copy, 'wal', `${name}.gz`), '')
    expect(await expireBackups(copy, { keepDays: 30, atLeast: 1 }, new Date('2026-01-03'))).toEqual({
      backups: [],
      segments: 1,
    })
    expect(existsSync(join(copy, 'wal', '000000020000000000000020.gz'))).toBe(true)
  })
})

it('an envelope opens only with its passphrase and for its backup', async () => {
  const envelope = await sealFiles({ 'master-key': 'secret' }, PASSPHRASE, 'one')
  expect(await openFiles(envelope, PASSPHRASE, 'one')).toEqual({ 'master-key': 'secret' })
  await expect(openFiles(envelope, PASSPHRASE, 'other')).rejects.toThrow('passphrase')
  await expect(openFiles(envelope, 'wrong', 'one')).rejects.toThrow('passphrase')
})
