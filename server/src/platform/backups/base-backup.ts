/**
 * A full backup of the embedded server while it runs, by PostgreSQL's low-level interface: its files are copied between
 * pg_backup_start() and pg_backup_stop(), and what changes meanwhile is in the log, which is archived anyway.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ownVersion } from '../config/version.ts'
import { type Connection, createClient } from '../database/pool.ts'
import { archiveCommand } from '../embedded-database/embedded-archive.ts'
import { listClusterFiles } from './cluster-files.ts'
import { type ContainedFile, createContainer } from './container.ts'
import { syncFolder } from './durable-files.ts'
import { type DataFiles, sealFiles } from './envelope.ts'
import { basesFolder, CONTAINER, type Manifest, UNFINISHED, walFolder, writeManifest } from './manifest.ts'
import { timelineOf } from './wal-archive.ts'

export interface BaseBackupOptions {
  /** For the owner of the database, who may make backups. */
  ownerUrl: string
  cluster: string
  /** Of all backups. */
  folder: string
  passphrase: string
  /** Goes into the envelope. */
  dataFiles: DataFiles
  /** Of the master keys among them. */
  masterKeyIds: string[]
  /** The period of archiving that the server is in. */
  archiving: string
  onProgress?: (done: number, total: number) => void
}

/** pg_backup_stop() waits for the archive; where that fails, it would wait for ever. */
const STOP_TIMEOUT_MS = 300_000

export async function takeBaseBackup(options: BaseBackupOptions): Promise<Manifest> {
  const { ownerUrl, cluster, folder, passphrase, dataFiles, masterKeyIds, archiving } = options
  const { onProgress = () => {} } = options
  const client = createClient(ownerUrl, `-c statement_timeout=${STOP_TIMEOUT_MS}`)
  await client.connect()
  const id = `${new Date().toISOString().replace(/[-:]|\..*/g, '')}Z-${randomBytes(3).toString('hex')}`
  const unfinished = join(basesFolder(folder), `${id}${UNFINISHED}`)
  try {
    await refuseOtherArchive(client, folder)
    const keys = await sealFiles(dataFiles, passphrase, id)
    await mkdir(unfinished, { recursive: true, mode: 0o700 })
    const start = await startBackup(client, id)
    const copied = await copyCluster(cluster, unfinished, onProgress)
    const stop = await stopBackup(client)
    const manifest = {
      id,
      ...start,
      ...stop,
      archiving,
      carillon_version: ownVersion(),
      ...copied,
      keys,
      master_key_ids: masterKeyIds,
    }
    await writeManifest(unfinished, manifest)
    const backup = join(basesFolder(folder), id)
    await rename(unfinished, backup)
    await syncFolder(basesFolder(folder))
    return manifest
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    throw explained(error)
  } finally {
    // Also ends a backup that was begun.
    await client.end()
  }
}

async function refuseOtherArchive(client: Connection, folder: string): Promise<void> {
  const { rows } = await client.query<{ mode: string; command: string }>(
    "select current_setting('archive_mode') as mode, current_setting('archive_command') as command",
  )
  const { mode, command } = rows[0]!
  if (mode === 'on' && command === archiveCommand(walFolder(folder))) return
  throw new Error(
    `The running server does not archive its log into ${walFolder(folder)}, and a backup is of no use without it. ` +
      'Start Carillon with the same CARILLON_BACKUP_DIR.',
  )
}

async function startBackup(client: Connection, id: string) {
  const { rows } = await client.query<{
    started_at: Date
    start_wal: string
    postgres_version: string
    wal_segment_bytes: string
  }>(
    `select clock_timestamp() as started_at, pg_walfile_name(pg_backup_start($1, true)) as start_wal,
       current_setting('server_version_num')::integer / 10000 || '' as postgres_version,
       pg_size_bytes(current_setting('wal_segment_size')) as wal_segment_bytes`,
    [`carillon ${id}`],
  )
  const { started_at, start_wal, postgres_version, wal_segment_bytes } = rows[0]!
  return {
    started_at: started_at.toISOString(),
    start_wal,
    timeline: timelineOf(start_wal),
    postgres_version,
    wal_segment_bytes: Number(wal_segment_bytes),
  }
}

/** The time is asked for afterwards: everything up to the end of the backup is certainly older. */
async function stopBackup(client: Connection) {
  const { rows } = await client.query<{ stop_lsn: string; stop_wal: string; labelfile: string }>(
    'select lsn as stop_lsn, pg_walfile_name(lsn) as stop_wal, labelfile from pg_backup_stop(true)',
  )
  const { rows: clock } = await client.query<{ now: Date }>('select clock_timestamp() as now')
  const { stop_lsn, stop_wal, labelfile } = rows[0]!
  return { stop_lsn, stop_wal, backup_label: labelfile, stopped_at: clock[0]!.now.toISOString() }
}

async function copyCluster(
  cluster: string,
  backup: string,
  onProgress: (done: number, total: number) => void,
) {
  const { directories, files: paths } = await listClusterFiles(cluster)
  const container = await createContainer(join(backup, CONTAINER))
  try {
    for (const [done, path] of paths.entries()) {
      await container.add(path, join(cluster, path)).catch(unlessGone)
      onProgress(done + 1, paths.length)
    }
  } catch (error) {
    // While it is open, a full disk does not get its space back.
    await container.abandon()
    throw error
  }
  const files = await container.close()
  const sum = (size: (file: ContainedFile) => number) => files.reduce((total, file) => total + size(file), 0)
  return { directories, files, bytes: sum(file => file.bytes), stored_bytes: sum(file => file.stored_bytes) }
}

/** A table that is dropped while its files are copied; the log drops it again. */
function unlessGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

function explained(error: unknown): unknown {
  if ((error as { code?: string }).code !== '57014') return error
  return new Error(
    'PostgreSQL could not archive its log within five minutes, so the backup is of no use. Its log says why: look at the disk and the permissions of the backup folder.',
  )
}
