/**
 * How commands on the same machine find the Carillon that runs on a data folder: it leaves a file there that says where
 * it listens. After a kill -9 the file stays, and counts for nothing once its process is gone.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findProcess } from './running-process.ts'

export interface RunningCarillon {
  pid: number
  /** Where its API listens on this machine; null without the role `api`. */
  url: string | null
  /** The master keys that it started with. */
  master_key_ids: string[]
}

/** Returns the function that takes the announcement back. */
export function announceRunning(dataDir: string, facts: Omit<RunningCarillon, 'pid'>): () => void {
  const path = announcementFile(dataDir)
  const own = { pid: process.pid, identity: findProcess(process.pid)?.identity ?? '', ...facts }
  try {
    // Written to another file and renamed: a command never reads half of it.
    writeFileSync(`${path}.${process.pid}`, `${JSON.stringify(own)}\n`, { mode: 0o600 })
    renameSync(`${path}.${process.pid}`, path)
  } catch {
    // With a database elsewhere, the folder may be missing or read-only. Commands then need --url.
    return () => {}
  }
  return () => {
    // Another process of the same data folder may have announced itself since.
    if (read(path)?.pid === process.pid) rmSync(path, { force: true })
  }
}

export function findRunningCarillon(dataDir: string): RunningCarillon | undefined {
  const found = read(announcementFile(dataDir))
  if (found === undefined) return undefined
  const { identity, ...facts } = found
  // The pid may be another program's by now.
  return findProcess(found.pid)?.identity === identity ? facts : undefined
}

function read(path: string): (RunningCarillon & { identity: string }) | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

function announcementFile(dataDir: string): string {
  return join(dataDir, 'running.json')
}
