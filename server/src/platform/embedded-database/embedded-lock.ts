/**
 * One data folder, one Carillon: the operating system's lock on a file, which ends with its process however that ends,
 * and holds among containers that share the folder, where pids say nothing. Lock files by pid or by heartbeat
 * (proper-lockfile) are taken over there, or from a process that was only suspended.
 *
 * Node has no such lock. macOS takes one while it opens a file; on Linux the command `flock` locks the open file that it is
 * handed. The lock belongs to the open file, not to the command: it lasts until this process closes the file or ends.
 */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'

/** A live process has the data folder. */
export class DataFolderHeld extends Error {}

const { O_APPEND, O_CREAT, O_NONBLOCK, O_RDWR } = constants
/** Node does not name it. */
const O_EXLOCK_OF_MACOS = 0x20

/** The PATH of a service or a cron job may leave out the folder of the system's commands. */
const COMMANDS = ['flock', '/usr/bin/flock']

/** Takes the folder for this process and returns the function that gives it back. Throws DataFolderHeld when a live process has it. */
export function holdDataFolder(dataDir: string, commands = COMMANDS): () => void {
  const path = join(dataDir, 'carillon.lock')
  for (;;) {
    const file =
      process.platform === 'darwin' ? openLocked(path, dataDir) : openAndLock(path, dataDir, commands)
    if (file === undefined) throw alreadyHeld(path, dataDir)
    if (isFileAt(path, file)) return holdFile(path, file)
    closeSync(file) // Its holder gave it back, and with it the file, just as we opened it.
  }
}

/** For macOS; undefined when another has the lock. */
function openLocked(path: string, dataDir: string): number | undefined {
  try {
    return openSync(path, O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK | O_EXLOCK_OF_MACOS)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined
    throw unwritable(dataDir, error)
  }
}

/** undefined when another has the lock. */
function openAndLock(path: string, dataDir: string, commands: string[]): number | undefined {
  const file = open(path, dataDir)
  const locking = lock(file, commands)
  const { status, stderr, error } = locking
  if (status === 0) return file
  closeSync(file)
  if (status === 1 && stderr === '') return undefined
  const reason = isMissing(locking)
    ? 'the command "flock" is missing. Install it (it is part of util-linux), or set DATABASE_URL to a PostgreSQL server.'
    : (error?.message ?? stderr.trim())
  throw new Error(`The data folder ${dataDir} cannot be locked: ${reason}`)
}

function lock(file: number, commands: string[]): SpawnSyncReturns<string> {
  const [command = '', ...others] = commands
  const result = spawnSync(command, ['-n', '3'], {
    stdio: ['ignore', 'ignore', 'pipe', file],
    encoding: 'utf8',
  })
  return isMissing(result) && others.length > 0 ? lock(file, others) : result
}

const isMissing = ({ error }: SpawnSyncReturns<string>) =>
  (error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT'

function open(path: string, dataDir: string): number {
  try {
    return openSync(path, 'a+')
  } catch (error) {
    throw unwritable(dataDir, error)
  }
}

const unwritable = (dataDir: string, error: unknown) =>
  new Error(`The data folder ${dataDir} cannot be written to: ${(error as Error).message}`)

function holdFile(path: string, file: number): () => void {
  ftruncateSync(file)
  writeSync(file, `${process.pid}\n${hostname()}\n`)
  let isHeld = true
  return () => {
    if (!isHeld) return
    isHeld = false
    rmSync(path, { force: true })
    closeSync(file)
  }
}

function isFileAt(path: string, file: number): boolean {
  return statSync(path, { throwIfNoEntry: false })?.ino === fstatSync(file).ino
}

function alreadyHeld(path: string, dataDir: string): DataFolderHeld {
  const { pid, host } = readHolder(path)
  const isElsewhere = host !== '' && host !== hostname()
  const holder = !isElsewhere && Number(pid) === process.pid ? 'this very process' : `process ${pid}`
  return new DataFolderHeld(
    `Carillon is already running on the data folder ${dataDir} (${holder}${isElsewhere ? ` on ${host}` : ''} holds carillon.lock). ` +
      `Stop it first${isElsewhere ? '' : ` (kill ${pid})`}, or start this one with another data folder.`,
  )
}

function readHolder(path: string): { pid: string; host: string } {
  try {
    const [pid = '', host = ''] = readFileSync(path, 'utf8').split('\n')
    return { pid, host }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return { pid: '', host: '' }
  }
}
