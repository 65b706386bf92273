/** One data folder, one Carillon: a lock file naming the process that uses the folder. */
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findProcess } from './running-process.ts'

const attempts = 20

/** Takes the folder for this process and returns the function that gives it back. Throws when a live process has it. */
export function holdDataFolder(dataDir: string): () => void {
  const lock = join(dataDir, 'carillon.lock')
  const own = `${lock}.${process.pid}`
  const content = `${process.pid}\n${findProcess(process.pid)?.identity ?? ''}\n`
  writeOrExplain(own, content, dataDir)
  try {
    for (let attempt = 0; attempt < attempts; attempt++) {
      if (linkUnlessTaken(own, lock)) return () => releaseLock(lock, content)
      removeStaleLock(lock, `${own}.stale`, dataDir)
    }
    throw new Error(
      `The lock ${lock} keeps changing hands; stop the other Carillon processes and start again.`,
    )
  } finally {
    rmSync(own, { force: true })
  }
}

function writeOrExplain(path: string, content: string, dataDir: string): void {
  try {
    writeFileSync(path, content)
  } catch (error) {
    throw new Error(`The data folder ${dataDir} cannot be written to: ${(error as Error).message}`)
  }
}

/** A hard link appears whole or not at all, so nobody ever reads a half-written lock. */
function linkUnlessTaken(own: string, lock: string): boolean {
  try {
    linkSync(own, lock)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function removeStaleLock(lock: string, aside: string, dataDir: string): void {
  const seen = readLock(lock)
  if (seen === undefined) return
  refuseIfHeld(seen, dataDir)
  // Two starts may find the same stale lock: moving it aside lets only one win, and shows what was really moved.
  if (!moveIfThere(lock, aside)) return
  const moved = readLock(aside)
  if (moved !== undefined && moved !== seen) linkUnlessTaken(aside, lock)
  rmSync(aside, { force: true })
}

function refuseIfHeld(content: string, dataDir: string): void {
  const [pid, identity] = content.split('\n')
  if (!identity || findProcess(Number(pid))?.identity !== identity) return
  const holder = Number(pid) === process.pid ? 'this very process' : `process ${pid}`
  throw new Error(
    `Carillon is already running on the data folder ${dataDir} (${holder} holds carillon.lock). ` +
      `Stop it first (kill ${pid}), or start this one with another data folder.`,
  )
}

function releaseLock(lock: string, content: string): void {
  if (readLock(lock) === content) rmSync(lock, { force: true })
}

function readLock(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function moveIfThere(from: string, to: string): boolean {
  try {
    renameSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
