/**
 * The archive of PostgreSQL's log, continued while the server runs. PostgreSQL itself runs the commands, as its own user and
 * in a shell: Node may be where that user cannot reach it, and gzip is wherever a shell is. A quiet system closes a segment
 * every minute, which is mostly zeros; uncompressed that would be 23 GB a day.
 */
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../config/config.ts'
import { canEnter, changeOwner, makeFolder, type Owner } from './embedded-owner.ts'

/** Inside the folder of the backups, if there is one. */
export function archiveFolder({ backupDir }: Pick<Config, 'backupDir'>): string | undefined {
  return backupDir === undefined ? undefined : join(backupDir, 'wal')
}

/** How much may be lost with the machine. */
const ARCHIVE_TIMEOUT_SECONDS = 60

/** Settings of a server that archives its log into a folder. */
export function archiveSettings(folder: string): Record<string, string> {
  return {
    archive_mode: 'on',
    archive_command: archiveCommand(folder),
    archive_timeout: String(ARCHIVE_TIMEOUT_SECONDS),
  }
}

/**
 * Under its name there is a whole segment, on the disk, or none. PostgreSQL may ask again for what is there, after a crash:
 * that succeeds with the same content, and fails with another one, which two servers that share a folder would write.
 */
export function archiveCommand(folder: string): string {
  return (
    `umask 077; d=${quoted(folder)}; f="$d/%f.gz"; t="$d/.%f.$$"; ` +
    'if [ -e "$f" ]; then gzip -dc "$f" | cmp -s - "%p"; ' +
    'else gzip -1 -c "%p" > "$t" && sync "$t" && mv "$t" "$f" && sync "$d" || { rm -f "$t"; exit 1; }; fi'
  )
}

/**
 * PostgreSQL takes any failure for the end of the log, and would go to work without what comes after it; only a code above
 * 125 stops it. So a segment that is there has to be whole.
 */
export function restoreCommand(folder: string): string {
  const failed = `if gzip -t "$f"; then exit ${NOT_WRITTEN}; else exit ${DAMAGED}; fi`
  return `f=${quoted(folder)}/%f.gz; [ -e "$f" ] || exit 1; gzip -dc "$f" > "%p" || { ${failed}; }`
}

const DAMAGED = 200
/** The segment is whole, and there is no room for it. */
export const NOT_WRITTEN = 201

/** For the shell, and a percent sign for PostgreSQL. */
function quoted(path: string): string {
  return `'${path.replaceAll("'", `'\\''`).replaceAll('%', '%%')}'`
}

/** Makes the folder, which only PostgreSQL's user needs to write to. */
export function prepareArchive(folder: string, cluster: string, owner: Owner): void {
  makeFolder(dirname(folder))
  if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 })
  if (!canEnter(dirname(folder), owner))
    throw new Error(
      `PostgreSQL runs as ${owner.name}, who cannot enter the backup folder ${dirname(folder)}. ` +
        'Allow others to pass through it and its parent folders (chmod o+x), or start Carillon as an ordinary user.',
    )
  if (owner.ids && statSync(folder).uid !== owner.ids.uid) chownSync(folder, owner.ids.uid, owner.ids.gid)
  refuseOtherDatabase(folder, cluster, owner)
}

/**
 * Two databases number their segments alike: in one folder, each would take those of the other for its own where one of them
 * has deleted its old ones. What was restored is still the same database.
 */
function refuseOtherDatabase(folder: string, cluster: string, owner: Owner): void {
  const path = join(folder, 'database-id')
  const id = databaseId(cluster)
  // Empty after a crash while it was written.
  const known = existsSync(path) ? readFileSync(path, 'utf8').trim() : ''
  if (known === '') {
    writeFileSync(path, `${id}\n`, { mode: 0o600 })
    changeOwner(owner, path)
  } else if (known !== id) {
    throw new Error(
      `${folder} has the log of another database. Give each data folder a CARILLON_BACKUP_DIR of its own.`,
    )
  }
}

/** What PostgreSQL calls the system identifier, which initdb draws: the first eight bytes of the control file. */
function databaseId(cluster: string): string {
  return readFileSync(join(cluster, 'global', 'pg_control'))
    .readBigUInt64LE(0)
    .toString()
}

/**
 * Remembers in which period of archiving this data folder is: every start since its beginning has archived into the same
 * folder. One that did not has left a gap, which backups from before it cannot get over. Periods have names and are not
 * compared by time, since a clock may be set back.
 */
export function rememberArchiving(dataDir: string, folder: string | undefined): void {
  if (folder === undefined) rmSync(periodFile(dataDir), { force: true })
  else if (readPeriod(dataDir)?.folder !== folder) {
    const period = `${new Date().toISOString()}-${randomBytes(3).toString('hex')}`
    writeFileSync(periodFile(dataDir), `${period}\n${folder}\n`)
  }
}

/** undefined: the server does not archive, or has never run. */
export function archivingPeriod(dataDir: string): string | undefined {
  return readPeriod(dataDir)?.period
}

function readPeriod(dataDir: string): { period: string; folder: string } | undefined {
  if (!existsSync(periodFile(dataDir))) return undefined
  const [period = '', folder = ''] = readFileSync(periodFile(dataDir), 'utf8').split('\n')
  return period === '' ? undefined : { period, folder }
}

function periodFile(dataDir: string): string {
  return join(dataDir, 'archiving-since')
}
