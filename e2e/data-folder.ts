/** A test's data folder: the files that Carillon writes there, and the PostgreSQL that runs on it. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { waitFor } from '../server/test/wait-for.ts'

export interface DataFolder {
  readonly path: string
  apiKey(): string
  /** For the superuser of the embedded server. */
  databaseUrl(): string
  /** For the owner of Carillon's database. */
  ownerUrl(): string
  /** The pid of the PostgreSQL that runs on this folder now; undefined when there is none. */
  postmaster(): number | undefined
  /** Stops the PostgreSQL that still runs on the folder. */
  stopDatabase(): Promise<void>
  /** The same, and deletes the folder. */
  remove(): Promise<void>
}

export function makeDataFolder(parentDir = tmpdir()): DataFolder {
  const parent = mkdtempSync(join(parentDir, 'carillon-e2e-'))
  chmodSync(parent, 0o755) // When root runs the tests, PostgreSQL's own user has to be able to enter.
  const path = join(parent, 'data')
  const read = (name: string) => readFileSync(join(path, name), 'utf8').trim()

  function urlOf(role: string, passwordFile: string): string {
    return `postgres://${role}:${read(passwordFile)}@127.0.0.1:${read('postgres-port')}/carillon`
  }

  function postmaster(): number | undefined {
    const file = join(path, 'postgres', 'postmaster.pid')
    if (!existsSync(file)) return undefined
    const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
    return runsOn(pid, path) ? pid : undefined
  }

  async function stopDatabase(): Promise<void> {
    const pid = postmaster()
    if (pid === undefined) return
    process.kill(pid, 'SIGQUIT')
    await waitFor(async () => !isAlive(pid), { what: `PostgreSQL ${pid} to end` })
  }

  return {
    path,
    apiKey: () => read('api-key'),
    databaseUrl: () => urlOf('carillon', 'postgres-password'),
    ownerUrl: () => urlOf('carillon_owner', 'postgres-owner-password'),
    postmaster,
    stopDatabase,
    async remove() {
      await stopDatabase()
      rmSync(parent, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return commandOf(pid) !== ''
  } catch {
    return false
  }
}

/** The pid in a file may belong to another process by now, which must not be killed. */
function runsOn(pid: number, folder: string): boolean {
  return pid > 0 && isAlive(pid) && (commandOf(pid)?.includes(folder) ?? true)
}

/** '' for a zombie, undefined where the system does not say. */
function commandOf(pid: number): string | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
