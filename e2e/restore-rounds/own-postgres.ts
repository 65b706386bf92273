/** A PostgreSQL of one's own, laid out as Debian's package does it: its settings are in a folder beside its data. */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../../server/test/free-port.ts'
import { waitFor } from '../../server/test/wait-for.ts'

export const PROGRAMS = '/usr/lib/postgresql/15/bin'
const PASSWORD = 'of-a-server-that-is-removed'
/** It may have to fetch and replay a log that is long. */
const START_MS = 120_000

export interface OwnPostgres {
  readonly data: string
  readonly sockets: string
  readonly port: number
  /** For the role that owns Carillon's database. */
  readonly url: string
  readonly pid: number
  /** What it has said since it was started last. */
  readonly said: string
  /** Resolves when it takes writes; `clock` moves that of the server and of everything it starts. */
  start(clock?: Clock): Promise<void>
  stop(signal?: NodeJS.Signals): Promise<void>
  /** The first column of the first row, for the superuser. */
  ask(sql: string, database?: string): Promise<string>
}

/** Variables that move the clock of a process. */
export type Clock = Record<string, string>

/** Makes a folder for the user that PostgreSQL runs as. */
export function makeFolderOf(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const { uid, gid } = user()
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
  return path
}

/** Runs a program as the user of PostgreSQL, and gives what it prints. */
export async function runAsPostgres(command: string, args: string[], clock: Clock = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, { ...options(clock), maxBuffer: 1 << 26 })
  return stdout
}

/** A new cluster, which was not started yet. `settings` are lines of its postgresql.conf. */
export async function makeCluster(folder: string, settings: string, clock: Clock = {}): Promise<OwnPostgres> {
  const data = makeFolderOf(join(folder, 'data'))
  const sockets = makeFolderOf(join(folder, 'sockets'))
  const etc = makeFolderOf(join(folder, 'etc'))
  await runAsPostgres(
    `${PROGRAMS}/initdb`,
    ['-D', data, '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'],
    clock,
  )
  const hba = writeOwned(etc, 'pg_hba.conf', 'local all all peer\nhost all all 127.0.0.1/32 scram-sha-256\n')
  writeOwned(
    etc,
    'postgresql.conf',
    `data_directory = '${data}'
hba_file = '${hba}'
listen_addresses = '127.0.0.1'
unix_socket_directories = '${sockets}'
shared_buffers = 32MB
${settings}`,
  )
  return serverOn(data, folder, await freePort())
}

/** Another server with the same settings, on a folder that was restored. */
export async function restoredServer(data: string, folder: string): Promise<OwnPostgres> {
  return serverOn(data, folder, await freePort())
}

/** Makes what an administrator makes for Carillon. */
export async function createDatabase({ ask }: OwnPostgres): Promise<void> {
  await ask(`create role carillon login password '${PASSWORD}'`)
  await ask('create database carillon owner carillon')
}

function serverOn(data: string, folder: string, port: number): OwnPostgres {
  const sockets = join(folder, 'sockets')
  let server: ChildProcess | undefined
  let said = ''
  // An exiting process cannot wait for the server to stop.
  process.once('exit', () => server?.kill('SIGQUIT'))

  async function start(clock: Clock = {}): Promise<void> {
    const place = ['-D', data, '-c', `data_directory=${data}`, '-c', `port=${port}`]
    const settings = ['-c', `config_file=${join(folder, 'etc/postgresql.conf')}`]
    said = ''
    const child = spawn(`${PROGRAMS}/postgres`, [...place, ...settings], {
      ...options(clock),
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    server = child
    child.stderr.setEncoding('utf8').on('data', text => {
      said += text
    })
    const isUp = async () => child.exitCode !== null || (await ask('select pg_is_in_recovery()')) === 'f'
    await waitFor(isUp, { what: 'PostgreSQL to take writes', deadlineMs: START_MS, everyMs: 200 }).catch(
      error => {
        throw new Error(`${error.message}\n${said.slice(-4_000)}`)
      },
    )
    if (child.exitCode !== null) throw new Error(`PostgreSQL did not start:\n${said}`)
  }

  async function ask(sql: string, database = 'postgres'): Promise<string> {
    const where = ['-h', sockets, '-p', String(port), '-d', database]
    return (await runAsPostgres(`${PROGRAMS}/psql`, ['-X', ...where, '-Atqc', sql])).trim()
  }

  return {
    data,
    sockets,
    port,
    url: `postgres://carillon:${PASSWORD}@127.0.0.1:${port}/carillon`,
    get pid() {
      return server!.pid!
    },
    get said() {
      return said
    },
    start,
    async stop(signal = 'SIGINT') {
      if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
      const ended = once(server, 'exit')
      server.kill(signal)
      await ended
    },
    ask,
  }
}

/** As after the loss of a disk: the folder is there, and empty. */
export function loseData({ data }: OwnPostgres): void {
  rmSync(data, { recursive: true, maxRetries: 5 })
  makeFolderOf(data)
}

export function writeOwned(folder: string, name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text, { mode: 0o600 })
  const { uid, gid } = user()
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
  return path
}

function options(clock: Clock) {
  return { ...user(), cwd: '/', env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8', TZ: 'UTC', ...clock } }
}

/** PostgreSQL does not run as root; its package brings a user that it can run as. */
function user(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const idOf = (which: '-u' | '-g') => Number(execFileSync('id', [which, 'postgres'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}
