/** Which files of a cluster belong into a backup. PostgreSQL makes all others again, or they would harm a restored one. */
import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

export interface ClusterFiles {
  directories: string[]
  /** The control file comes last, as PostgreSQL's own tools do it. */
  files: string[]
}

/** Of these only the folders themselves. The log comes from the archive. */
const EMPTIED = [
  'pg_wal',
  'pg_dynshmem',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
]
const LEFT_OUT =
  /^(postmaster\.(pid|opts)|backup_label(\.old)?|tablespace_map(\.old)?|recovery\.signal|standby\.signal|postgresql\.auto\.conf\.tmp|current_logfiles(\.tmp)?|pg_internal\.init(\.\d+)?|pgsql_tmp.*)$/
const CONTROL_FILE = 'global/pg_control'

export async function listClusterFiles(cluster: string): Promise<ClusterFiles> {
  const found: ClusterFiles = { directories: [], files: [] }
  await collect(cluster, '', found)
  found.files = [...found.files.filter(path => path !== CONTROL_FILE), CONTROL_FILE]
  return found
}

async function collect(cluster: string, folder: string, found: ClusterFiles): Promise<void> {
  for (const entry of await entriesOf(join(cluster, folder))) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (LEFT_OUT.test(entry.name)) continue
    if (folder === 'pg_tblspc' || (entry.isSymbolicLink() && entry.name !== 'pg_wal'))
      throw new Error(
        `The database has files outside of its folder (${path}), which this backup would miss. Move them into the database (alter table … set tablespace pg_default), and drop the tablespace.`,
      )
    if (entry.isDirectory() || entry.isSymbolicLink()) {
      found.directories.push(path)
      if (!EMPTIED.includes(path)) await collect(cluster, path, found)
    } else if (entry.isFile()) found.files.push(path)
  }
}

/** A database that was dropped meanwhile has none. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
}
