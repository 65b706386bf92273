/** The cluster on disk: where it is, how it is created, and whether this Carillon can open it. */
import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Binaries } from './embedded-binaries.ts'
import { canEnter, changeOwner, makeFolder, type Owner, runAs } from './embedded-owner.ts'

export const superuser = 'carillon'

/** The folder of an existing cluster; undefined on the first start. */
export function findCluster(dataDir: string): string | undefined {
  const usual = join(dataDir, 'postgres')
  refuseOtherUsersCluster(usual)
  if (isCluster(usual)) return usual
  const elsewhere = readTrimmed(locationFile(dataDir))
  if (!elsewhere) return undefined
  if (isCluster(elsewhere)) return elsewhere
  // Starting an empty database here would look like lost data.
  throw new Error(
    `The database of ${dataDir} was kept in ${elsewhere}, but it is no longer there. ` +
      `Bring it back, or delete ${locationFile(dataDir)} to start with an empty one.`,
  )
}

/** Creates a cluster in the data folder, or in the fallback folder when its owner cannot enter the data folder. */
export async function createCluster(options: {
  dataDir: string
  fallbackDir: string
  owner: Owner
  binaries: Binaries
  log: (line: string) => void
}): Promise<string> {
  const { dataDir, fallbackDir, owner, binaries, log } = options
  const isUsualPlace = canEnter(dataDir, owner)
  const cluster = isUsualPlace ? join(dataDir, 'postgres') : fallbackFor(dataDir, fallbackDir, owner)
  setAside(cluster, log)
  await initialise(cluster, owner, binaries, readPassword(dataDir) ?? writePassword(dataDir))
  if (!isUsualPlace) {
    writeFileSync(locationFile(dataDir), `${cluster}\n`)
    log(`the database is kept in ${cluster}, because ${owner.name} cannot enter ${dataDir}`)
  }
  return cluster
}

/** Refuses, with a clear reason, what PostgreSQL would refuse with an obscure one; repairs what root can repair. */
export function checkCluster(cluster: string, owner: Owner, binaries: Binaries): void {
  const version = readTrimmed(join(cluster, 'PG_VERSION'))
  if (version !== binaries.majorVersion) {
    throw new Error(
      `${cluster} was written by PostgreSQL ${version}; this Carillon includes PostgreSQL ${binaries.majorVersion}, which ` +
        'cannot open it. Dump it with the old version and restore it into a new data folder, or set DATABASE_URL.',
    )
  }
  if (!canEnter(join(cluster, '..'), owner)) {
    throw new Error(
      `PostgreSQL runs as ${owner.name}, who can no longer enter ${cluster}. ` +
        'Allow others to pass through its parent folders (chmod o+x), or start Carillon as the user who owns it.',
    )
  }
  const expectedUid = owner.ids?.uid ?? process.getuid?.()
  if (statSync(cluster).uid !== expectedUid) changeOwner(owner, cluster)
  chmodSync(cluster, 0o700)
}

export function readPassword(dataDir: string): string | undefined {
  return readTrimmed(passwordFile(dataDir)) || undefined
}

/** Sets a new superuser password without a running server, for when somebody deleted the file that held it. */
export async function replacePassword(
  dataDir: string,
  cluster: string,
  owner: Owner,
  binaries: Binaries,
): Promise<string> {
  const password = writePassword(dataDir)
  const statement = `alter role ${superuser} password '${password}'\n`
  const { code, output } = await runAs(
    owner,
    binaries.postgres,
    ['--single', '-D', cluster, 'postgres'],
    statement,
  )
  if (code === 0) return password
  rmSync(passwordFile(dataDir))
  throw new Error(`${passwordFile(dataDir)} is missing and a new password could not be set: ${output.trim()}`)
}

/** initdb runs in a temporary folder that is renamed at the end: an interrupted first start leaves no half-made cluster. */
async function initialise(
  cluster: string,
  owner: Owner,
  binaries: Binaries,
  password: string,
): Promise<void> {
  const temporary = `${cluster}.new`
  rmSync(temporary, { recursive: true, force: true })
  mkdirSync(temporary, { mode: 0o700 })
  const passwordCopy = join(temporary, 'password')
  writeFileSync(passwordCopy, password, { mode: 0o600 })
  changeOwner(owner, temporary)
  const { code, output } = await runAs(owner, binaries.initdb, [
    `--pgdata=${join(temporary, 'cluster')}`,
    `--username=${superuser}`,
    `--pwfile=${passwordCopy}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--no-instructions',
  ])
  if (code !== 0) throw new Error(`PostgreSQL's initdb failed as ${owner.name}: ${output.trim()}`)
  renameSync(join(temporary, 'cluster'), cluster)
  rmSync(temporary, { recursive: true, force: true })
}

function fallbackFor(dataDir: string, fallbackDir: string, owner: Owner): string {
  makeFolder(fallbackDir)
  if (canEnter(fallbackDir, owner)) {
    return join(fallbackDir, createHash('sha256').update(dataDir).digest('hex').slice(0, 16))
  }
  throw new Error(
    `PostgreSQL runs as ${owner.name}, who can enter neither ${dataDir} nor ${fallbackDir}. ` +
      'Choose a data folder that every user can pass through, or start Carillon as an ordinary user.',
  )
}

/** Whatever is already in the new cluster's place belongs to a deleted data folder: it is kept, but moved away. */
function setAside(cluster: string, log: (line: string) => void): void {
  if (!existsSync(cluster) || readdirSync(cluster).length === 0) return
  const aside = `${cluster}.old-${Date.now()}`
  renameSync(cluster, aside)
  log(`${cluster} belonged to an earlier data folder and was moved to ${aside}`)
}

/** An ordinary user cannot look into somebody else's cluster; that must not be mistaken for "no cluster yet". */
function refuseOtherUsersCluster(directory: string): void {
  const [owner, self] = [statSync(directory, { throwIfNoEntry: false })?.uid, process.getuid?.()]
  if (owner === undefined || owner === self || self === 0) return
  throw new Error(
    `${directory} belongs to another user (uid ${owner}), so PostgreSQL cannot use it. ` +
      'Start Carillon as that user or as root, or use another data folder.',
  )
}

function isCluster(directory: string): boolean {
  return existsSync(join(directory, 'PG_VERSION'))
}

function writePassword(dataDir: string): string {
  const password = randomBytes(24).toString('hex')
  writeFileSync(passwordFile(dataDir), `${password}\n`, { mode: 0o600 })
  return password
}

export function passwordFile(dataDir: string): string {
  return join(dataDir, 'postgres-password')
}

/** The file that names the cluster's folder when it is outside the data folder. */
function locationFile(dataDir: string): string {
  return join(dataDir, 'postgres-location')
}

function readTrimmed(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined
}
