import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { type CloneRun, makeClone, makeReadOnly, runClone, stopClone } from '../../../test/embedded-clone.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { findProcess } from '../processes/running-process.ts'
import { type EmbeddedPostgres, startEmbedded } from './embedded.ts'
import { chooseOwner } from './embedded-owner.ts'
import { stopOrphan } from './embedded-postmaster.ts'

const isRoot = process.getuid?.() === 0
const nobody = { uid: 65_534, gid: 65_534 }
const settings = { fsync: 'off' }

let clone: string
let filledData: string
let folder: string
let dataDir: string
let servers: EmbeddedPostgres[]
let runs: CloneRun[]
let helpers: ChildProcess[]
let log: string[]

beforeAll(async () => {
  clone = openFolder()
  makeClone(clone)
  filledData = join(clone, 'filled-data')
  const server = await startEmbedded({ dataDir: filledData, settings, log: () => {} })
  await query(server.ownerUrl, 'create table kept as select 7 as number')
  await server.stop()
})
afterAll(() => rmSync(clone, { recursive: true, force: true }))

beforeEach(() => {
  folder = openFolder()
  dataDir = join(folder, 'data')
  ;[servers, runs, helpers, log] = [[], [], [], []]
})
afterEach(async () => {
  for (const server of servers) await server.stop()
  for (const run of runs) await stopClone(run, 'SIGKILL')
  for (const run of runs) if (run.directory) await stopOrphan(run.directory, () => {})
  for (const helper of helpers) helper.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

describe('a first start', () => {
  it('gives a PostgreSQL 18 in UTF-8, locale C and UTC, reachable on loopback with a password only', async () => {
    const { ownerUrl: url } = await start()
    const [facts] = await query(
      url,
      `select current_setting('server_version_num')::int / 10000 as major, current_user as who,
              current_database() as name, current_setting('server_encoding') as encoding,
              datcollate as collation, current_setting('TimeZone') as timezone, current_setting('fsync') as fsync,
              current_setting('listen_addresses') as addresses
       from pg_database where datname = current_database()`,
    )
    expect(facts).toEqual({
      major: 18,
      who: 'carillon_owner',
      name: 'carillon',
      encoding: 'UTF8',
      collation: 'C',
      timezone: 'UTC',
      fsync: 'off',
      addresses: '127.0.0.1',
    })
    await expect(query(url.replace(/:\w+@/, ':wrong@'), 'select 1')).rejects.toThrow(
      'password authentication failed',
    )
  })

  it('keeps the passwords where only its user can read them', async () => {
    useFilledData()
    const server = await start()
    for (const [url, name] of [
      [server.superuserUrl, 'postgres-password'],
      [server.ownerUrl, 'postgres-owner-password'],
      [server.url, 'postgres-app-password'],
    ] as const) {
      const file = join(dataDir, name)
      expect(statSync(file).mode & 0o777).toBe(0o600)
      expect(new URL(url).password).toBe(readFileSync(file, 'utf8').trim())
    }
  })

  it('cleans up after a first start that was interrupted', async () => {
    mkdirSync(join(dataDir, 'postgres.new', 'cluster'), { recursive: true })
    const { ownerUrl: url } = await start()
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }])
  })
})

describe('a later start', () => {
  it('finds the data and prefers the same port', async () => {
    useFilledData()
    const first = await start()
    await query(first.ownerUrl, 'create table kept_too as select 8 as number')
    await first.stop()
    const second = await start()
    expect(await query(second.ownerUrl, 'select * from kept_too')).toEqual([{ number: 8 }])
    expect(second.url).toBe(first.url)
  })

  it('takes another port when somebody else has the old one', async () => {
    useFilledData()
    const taker = createServer().listen(0, '127.0.0.1')
    await once(taker, 'listening')
    const { port } = taker.address() as AddressInfo
    writeFileSync(join(dataDir, 'postgres-port'), `${port}\n`)
    try {
      const { ownerUrl: url } = await start()
      expect(new URL(url).port).not.toBe(String(port))
      expect(await query(url, 'select * from kept')).toEqual([{ number: 7 }])
    } finally {
      taker.close()
    }
  })

  it('sets new passwords when the files that held them are gone', async () => {
    useFilledData()
    for (const name of ['postgres-password', 'postgres-owner-password', 'postgres-app-password'])
      rmSync(join(dataDir, name))
    const { ownerUrl: url } = await start()
    expect(await query(url, 'select * from kept')).toEqual([{ number: 7 }])
  })

  it('names both versions when the data is from another PostgreSQL', async () => {
    useFilledData()
    const versionFile = join(dataDir, 'postgres', 'PG_VERSION')
    writeFileSync(versionFile, '15\n')
    await expect(start()).rejects.toThrow(/written by PostgreSQL 15; this Carillon includes PostgreSQL 18/)
    writeFileSync(versionFile, '18\n')
  })

  it('is not stopped by a postmaster.pid whose pid now belongs to another program', async () => {
    useFilledData()
    const other = spawn('sleep', ['60'], { stdio: 'ignore', ...chooseOwner().ids })
    helpers.push(other)
    const cluster = join(dataDir, 'postgres')
    writeFileSync(
      join(cluster, 'postmaster.pid'),
      `${other.pid}\n${cluster}\n1700000000\n5432\n\n127.0.0.1\n\n`,
    )
    const { ownerUrl: url } = await start()
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }])
    expect(findProcess(other.pid!)).toBeDefined()
  })
})

describe('a Carillon killed with kill -9', () => {
  it('leaves a server that the next start replaces, with everything committed still there', async () => {
    useFilledData()
    const killed = await startClone()
    await query(killed.url, 'create table committed as select 8 as number')
    await stopClone(killed, 'SIGKILL')
    const orphan = postmasterPid(killed.directory)
    expect(findProcess(orphan)?.command).toContain('postgres')

    const { ownerUrl: url } = await start()
    expect(await query(url, 'select * from committed')).toEqual([{ number: 8 }])
    expect(log.join()).toContain(`left behind (process ${orphan})`)
    expect(postmasterPid(killed.directory)).not.toBe(orphan)
  })

  it('and its server killed too: the next start recovers at once', async () => {
    useFilledData()
    const killed = await startClone()
    await query(killed.url, 'create table recovered as select 9 as number')
    process.kill(postmasterPid(killed.directory), 'SIGKILL')
    await stopClone(killed, 'SIGKILL')
    const { ownerUrl: url } = await start()
    expect(await query(url, 'select * from recovered')).toEqual([{ number: 9 }])
  })
})

describe('one data folder', () => {
  it('is refused to a second Carillon, naming the first', async () => {
    useFilledData()
    const holder = await startClone()
    await expect(start()).rejects.toThrow(
      new RegExp(`already running on the data folder .*process ${holder.process.pid}.*Stop it first`),
    )
    expect(await query(holder.url, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  it('is refused to a second start in the same process', async () => {
    useFilledData()
    await start()
    await expect(start()).rejects.toThrow('this very process')
  })

  it('is refused although its holder’s pid says nothing here, as in another container', async () => {
    useFilledData()
    await startClone()
    writeFileSync(join(dataDir, 'carillon.lock'), '1\nelsewhere\n')
    await expect(start()).rejects.toThrow('process 1 on elsewhere holds carillon.lock')
  })

  it('is taken over from a file whose lock has ended, though its pid is another process’s by now', async () => {
    useFilledData()
    writeFileSync(join(dataDir, 'carillon.lock'), `${process.ppid}\n`)
    await start()
    expect(readFileSync(join(dataDir, 'carillon.lock'), 'utf8')).toMatch(new RegExp(`^${process.pid}\n`))
  })
})

describe('the end', () => {
  it('comes once, however often it is asked for, and frees the folder', async () => {
    useFilledData()
    const server = await start()
    const told: string[] = []
    server.onExit(reason => told.push(reason))
    const pid = postmasterPid(server.directory)
    await Promise.all([server.stop(), server.stop()])
    await server.stop()
    expect(findProcess(pid)).toBeUndefined()
    expect(told).toEqual([])
    await start()
  })

  it('is reported when PostgreSQL dies by itself, even to listeners added later', async () => {
    useFilledData()
    const server = await start()
    const told: string[] = []
    server.onExit(reason => told.push(reason))
    process.kill(postmasterPid(server.directory), 'SIGKILL')
    await waitFor(async () => told.length > 0, { what: 'the listener to be told' })
    server.onExit(reason => told.push(reason))
    await waitFor(async () => told.length > 1, { what: 'the late listener to be told' })
    expect(told[0]).toContain('PostgreSQL was ended by SIGKILL')
    expect(told[1]).toBe(told[0])
    await server.stop()
    await start() // Frees the shared memory that the killed server could not.
  })

  it('comes to the server of a Node process that dies of an uncaught error', async () => {
    useFilledData()
    const run = await startClone()
    const pid = postmasterPid(run.directory)
    await stopClone(run, 'SIGUSR2')
    await waitFor(async () => !findProcess(pid), { what: 'the server to go with its process' })
  })
})

describe('the user PostgreSQL runs as', () => {
  if (isRoot) {
    it('is an unprivileged one when we are root', async () => {
      useFilledData()
      const { directory } = await start()
      expect(statSync(directory).uid).toBe(chooseOwner().ids?.uid)
      expect(statSync(directory).uid).not.toBe(0)
    })

    it('gets its own copies when root keeps clone and data in a locked folder, and finds them again', async () => {
      const locked = join(folder, 'locked')
      makeClone(locked)
      chmodSync(locked, 0o700)
      const places = { dataDir: join(locked, 'data'), fallbackDir: join(folder, 'fallback') }
      const first = await startClone(locked, places)
      expect(first.directory).toContain(places.fallbackDir)
      expect(first.log.join('\n')).toMatch(/runs from .*fallback.*\n.*is kept in .*fallback/)
      await query(first.url, 'create table kept as select 7 as number')
      await stopClone(first)

      const second = await startClone(locked, places)
      expect(await query(second.url, 'select * from kept')).toEqual([{ number: 7 }])
      await stopClone(second)

      rmSync(second.directory, { recursive: true })
      expect((await startClone(locked, places)).error).toContain('is no longer there')
    })

    it('is an ordinary user who runs their own clone, even one installed without install scripts', async () => {
      const own = join(folder, 'own')
      makeClone(own, nobody)
      const run = await startClone(own, { dataDir: join(own, 'data'), user: nobody })
      expect(await query(run.url, 'select 1 as one')).toEqual([{ one: 1 }])
      expect(statSync(run.directory).uid).toBe(nobody.uid)
    })

    it('is an ordinary user whose clone an administrator installed', async () => {
      const own = join(folder, 'own')
      makeClone(own)
      makeReadOnly(own)
      mkdirSync(dataDir)
      chownSync(dataDir, nobody.uid, nobody.gid)
      const run = await startClone(own, { dataDir, user: nobody })
      expect(await query(run.url, 'select 1 as one')).toEqual([{ one: 1 }])
      expect(run.log.join()).toContain(`runs from ${dataDir}`)
    })

    it('is told apart from the owner of the data', async () => {
      useFilledData()
      await (await start()).stop()
      chmodSync(dataDir, 0o777)
      const other = { uid: 4242, gid: 4242 }
      const run = await startClone(clone, { dataDir, user: other })
      expect(run.error).toMatch(/belongs to another user/)
    })
  } else {
    it('is ourselves when we are not root', async () => {
      const { directory } = await start()
      expect(statSync(directory).uid).toBe(process.getuid?.())
    })
  }
})

/** Creating a data folder is slow, so tests share one; every start has to cope with what the last test left in it. */
function useFilledData(): void {
  dataDir = filledData
}

function openFolder(): string {
  const path = mkdtempSync(join(inject('scratchDir'), 'embedded-'))
  chmodSync(path, 0o755)
  return path
}

async function start(): Promise<EmbeddedPostgres> {
  const server = await startEmbedded({ dataDir, settings, log: line => log.push(line) })
  servers.push(server)
  return server
}

async function startClone(
  from = clone,
  options: Parameters<typeof runClone>[1] = { dataDir },
): Promise<CloneRun> {
  const run = await runClone(from, options)
  runs.push(run)
  return run
}

function postmasterPid(directory: string): number {
  return Number(readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n')[0])
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}
