/** What is in a backup: its files with sizes and checksums, and where in PostgreSQL's log it begins and ends. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ContainedFile } from './container.ts'
import { writeDurably } from './durable-files.ts'
import type { Envelope } from './envelope.ts'

export interface Manifest {
  id: string
  started_at: string
  /** From here on a restore can reach any point in time. */
  stopped_at: string
  /** The period of archiving that it was made in; the log goes on without a gap until that ends. */
  archiving: string
  carillon_version: string
  postgres_version: string
  timeline: number
  /** The first and the last segment of the log that make the files consistent. */
  start_wal: string
  stop_wal: string
  stop_lsn: string
  wal_segment_bytes: number
  backup_label: string
  /** Of the content of all files. */
  bytes: number
  stored_bytes: number
  directories: string[]
  files: ContainedFile[]
  keys: Envelope
  /** Of the master keys in the envelope, by which nobody can decrypt anything. */
  master_key_ids: string[]
}

const MANIFEST = 'backup.json'

export const walFolder = (folder: string): string => join(folder, 'wal')
export const basesFolder = (folder: string): string => join(folder, 'base')

/** All files of the cluster. */
export const containerOf = (folder: string, { id }: Pick<Manifest, 'id'>): string =>
  join(basesFolder(folder), id, CONTAINER)
export const CONTAINER = 'cluster'

/** Of a backup that is not complete yet. */
export const UNFINISHED = '.unfinished'

/** Written last: a backup without it does not count. */
export async function writeManifest(backup: string, manifest: Manifest): Promise<void> {
  const text = JSON.stringify(manifest)
  await writeDurably(join(backup, MANIFEST), `${text}\n${sha256(text)}\n`)
}

export async function readManifest(backup: string): Promise<Manifest> {
  const [text = '', checksum] = (await readFile(join(backup, MANIFEST), 'utf8')).split('\n')
  if (checksum !== sha256(text))
    throw new Error(`${join(backup, MANIFEST)} is damaged: its content does not have its checksum.`)
  return JSON.parse(text)
}

/** The complete backups of a folder, oldest first. */
export async function listBackups(folder: string): Promise<Manifest[]> {
  return (await readBackups(folder)).backups
}

/** One that is damaged must neither keep the others from being restored nor new ones from being made. */
export async function readBackups(folder: string): Promise<{ backups: Manifest[]; damages: Error[] }> {
  const bases = basesFolder(folder)
  const found = { backups: [] as Manifest[], damages: [] as Error[] }
  if (!existsSync(bases)) return found
  const names = (await readdir(bases)).filter(name => existsSync(join(bases, name, MANIFEST)))
  for (const name of names.sort())
    await readManifest(join(bases, name)).then(
      backup => found.backups.push(backup),
      (error: Error) => found.damages.push(error),
    )
  return found
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
