/**
 * Makes a data folder from a backup and the log after it, up to a point in time. Nothing is left behind when it fails, and
 * nothing that exists is ever written over.
 */
import { existsSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { defaultFallbackDir } from '../embedded-database/embedded.ts'
import { type Binaries, prepareBinaries } from '../embedded-database/embedded-binaries.ts'
import { holdDataFolder } from '../embedded-database/embedded-lock.ts'
import {
  canEnter,
  changeOwner,
  chooseOwner,
  makeFolder,
  type Owner,
} from '../embedded-database/embedded-owner.ts'
import { beginRestore } from '../embedded-database/unfinished-restore.ts'
import { type Choice, chooseBackup, type Target } from './choose.ts'
import { DamagedContainer, extract } from './container.ts'
import { writeDataFiles } from './data-files.ts'
import { openFiles } from './envelope.ts'
import { containerOf, type Manifest, walFolder } from './manifest.ts'
import { recover, refuseUnreadable } from './recover.ts'

export interface RestoreOptions {
  /** Of all backups. */
  folder: string
  target: Target
  timeline?: number | undefined
  /** Where the instance will be; it must not exist, or be empty. */
  dataDir: string
  passphrase: string
  log: (line: string) => void
  /** PostgreSQL settings in addition to our own, as for `postgres -c`. */
  settings?: Record<string, string>
  onCopied?: (done: number, total: number) => void
  onReplayed?: (segments: number, most: number) => void
}

export interface Restored {
  backup: Manifest
  /** When the last transaction that is there was committed; undefined if nothing came after the backup. */
  lastCommitAt: Date | undefined
}

/** The caller says when it is finished: processes do not start on the folder before that. */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { folder, target, timeline, passphrase } = options
  const choice = await chooseBackup(folder, target, timeline)
  refuseGap(choice, target)
  const files = await openFiles(choice.backup.keys, passphrase, choice.backup.id)
  const dataDir = openEmptyFolder(options.dataDir)
  const release = holdDataFolder(dataDir)
  try {
    const owner = chooseOwner()
    refuseClosedFolder(dataDir, owner)
    const binaries = await prepareBinaries({
      owner,
      dataDir,
      fallbackDir: defaultFallbackDir,
      log: options.log,
    })
    refuseOtherVersion(choice.backup, binaries)
    await refuseUnreadable(walFolder(folder), choice, owner)
    beginRestore(dataDir)
    await writeDataFiles(dataDir, files)
    const cluster = join(dataDir, 'postgres.unfinished')
    await copyBack(choice.backup, folder, cluster, options.onCopied)
    await writeFile(join(cluster, 'backup_label'), choice.backup.backup_label, { mode: 0o600 })
    await writeFile(join(cluster, 'recovery.signal'), '', { mode: 0o600 })
    changeOwner(owner, cluster)
    const lastCommitAt = await recover({
      cluster,
      dataDir,
      owner,
      binaries,
      archive: walFolder(folder),
      target,
      choice,
      settings: options.settings ?? {},
      onReplayed: options.onReplayed ?? (() => {}),
    })
    await rename(cluster, join(dataDir, 'postgres'))
    return { backup: choice.backup, lastCommitAt }
  } catch (error) {
    for (const name of readdirSync(dataDir)) rmSync(join(dataDir, name), { recursive: true, force: true })
    throw error
  } finally {
    release()
  }
}

function refuseGap({ lastBeforeGap }: Choice, target: Target): void {
  if (target !== 'latest' || lastBeforeGap === undefined) return
  throw new Error(
    `The archive has a gap: the segment of the log after ${lastBeforeGap} is missing, so the newest data cannot be reached. ` +
      'Restore to a point in time before the gap with --to <time>.',
  )
}

function openEmptyFolder(path: string): string {
  const folder = resolve(path)
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new Error(
      `${folder} is not empty${existsSync(join(folder, 'carillon.lock')) ? ' (a Carillon runs there)' : ''}. ` +
        'Restore into a new folder; the old one is then still there, whatever happens.',
    )
  makeFolder(folder)
  return realpathSync(folder)
}

function refuseClosedFolder(dataDir: string, owner: Owner): void {
  if (canEnter(dataDir, owner)) return
  throw new Error(
    `PostgreSQL runs as ${owner.name}, who cannot enter ${dataDir}. ` +
      'Choose a folder that every user can pass through, or restore as an ordinary user.',
  )
}

function refuseOtherVersion({ id, postgres_version }: Manifest, { majorVersion }: Binaries): void {
  if (postgres_version === majorVersion) return
  throw new Error(
    `The backup ${id} was made by PostgreSQL ${postgres_version}; this Carillon includes PostgreSQL ${majorVersion}. ` +
      'Restore it with the version of Carillon that made it.',
  )
}

async function copyBack(
  { id, directories, files }: Manifest,
  folder: string,
  cluster: string,
  onCopied: (done: number, total: number) => void = () => {},
): Promise<void> {
  await mkdir(cluster, { mode: 0o700 })
  for (const directory of directories) await mkdir(join(cluster, directory), { mode: 0o700 })
  const container = containerOf(folder, { id })
  for (const [done, file] of files.entries()) {
    await extract(container, file, join(cluster, file.path)).catch(error => damaged(container, error))
    onCopied(done + 1, files.length)
  }
}

function damaged(path: string, error: Error): never {
  if (!(error instanceof DamagedContainer)) throw error
  throw new Error(
    `${path} is damaged (${error.message}). Use another copy of the backups, or --to with a time before this backup.`,
  )
}
