/**
 * A data folder into which a backup is being restored. Until that is done, nothing holds back what was due: a process that
 * started on it after an interruption would send all of it again, or find an empty database.
 */
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const markOf = (dataDir: string) => join(dataDir, 'unfinished-restore')

export function beginRestore(dataDir: string): void {
  writeFileSync(markOf(dataDir), '')
}

export function finishRestore(dataDir: string): void {
  rmSync(markOf(dataDir), { force: true })
}

export function refuseUnfinishedRestore(dataDir: string): void {
  if (!existsSync(markOf(dataDir))) return
  throw new Error(
    `The restore into ${dataDir} is not finished. If it was interrupted, delete the folder and restore again.`,
  )
}
