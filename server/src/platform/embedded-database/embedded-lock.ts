/**
 * One data folder, one Carillon: the operating system's lock on a file, which ends with its process however that ends,
 * and holds among containers that share the folder, where pids say nothing. Lock files by pid or by heartbeat
 * (proper-lockfile) are taken over there, or from a process that was only suspended.
 */
import {
  closeSync,
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

/** Takes the folder for this process and returns the function that gives it back. Throws DataFolderHeld when a live process has it. */
export async function holdDataFolder(dataDir: string): Promise<() => void> {
  const path = join(dataDir, 'carillon.lock')
  for (;;) {
    const file = openOrExplain(path, dataDir)
    try {
      if (!(await lock(file, dataDir))) throw alreadyHeld(path, dataDir)
      if (isFileAt(path, file)) return holdFile(path, file)
    } catch (error) {
      closeSync(file)
      throw error
    }
    closeSync(file) // Its holder gave it back, and with it the file, just as we opened it.
  }
}

function openOrExplain(path: string, dataDir: string): number {
  try {
    return openSync(path, 'a+')
  } catch (error) {
    throw new Error(`The data folder ${dataDir} cannot be written to: ${(error as Error).message}`)
  }
}

async function lock(file: number, dataDir: string): Promise<boolean> {
  // Loaded here because it has binaries for the platforms of the embedded database, and not for every other.
  const { tryLock } = await import('fs-native-extensions')
  try {
    return tryLock(file)
  } catch (error) {
    throw new Error(`The data folder ${dataDir} cannot be locked: ${(error as Error).message}`)
  }
}

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
