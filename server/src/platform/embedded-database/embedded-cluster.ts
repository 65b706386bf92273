/** The cluster on disk: where it lies, how it is made, and whether this Carillon can open it. */
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
import { canEnter, giveTo, makeFolder, type Owner, runAs } from './embedded-owner.ts'

export const superuser = 'carillon'

/** The folder of an existing cluster; undefined on the first start. */
export function findCluster(dataDir: string): string | undefined {
  const usual = join(dataDir, 'postgres')
  refuseForeign(usual)
  if (isCluster(usual)) return usual
  const elsewhere = readTrimmed(locationFile(dataDir))
  if (!elsewhere) return undefined
  if (isCluster(elsewhere)) return elsewhere
  // Starting an empty database here would look like lost data.
  throw new Error(
    `The database of ${dataDir} was kept in ${elsewhere}, and it is not there any more. ` +
      `Bring it back, or delete ${locationFile(dataDir)} to start with an empty one.`,
  )
}

/** Makes a new cluster in the data folder, or under the fallback folder when its owner cannot enter the data folder. */
export async function createCluster(options: {
  dataDir: string
  fallbackDir: string
  owner: Owner
  binaries: Binaries
  log: (line: string) => void
}): Promise<string> {
  const { dataDir, fallbackDir, owner, binaries, log } = options
  const isUsualPlace = canEnter(dataDir, owner)
  const cluster = isUsualPlace ? join(dataDir, 'postgres') : placeOutside(dataDir, fallbackDir, owner)
  setAside(cluster, log)
  await initialise(cluster, owner, binaries, readPassword(dataDir) ?? writePassword(dataDir))
  if (!isUsualPlace) {
    writeFileSync(locationFile(dataDir), `${cluster}\n`)
    log(`the database is kept in ${cluster}, because ${owner.name} cannot enter ${dataDir}`)
  }
  return cluster
}

/** Refuses a cluster that PostgreSQL would refuse with a riddle, and repairs what root may repair. */
export function checkCluster(cluster: string, owner: Owner, binaries: Binaries): void {
  const version = readTrimmed(join(cluster, 'PG_VERSION'))
  if (version !== binaries.majorVersion) {
    throw new Error(
      `${cluster} was written by PostgreSQL ${version}; this Carillon brings PostgreSQL ${binaries.majorVersion}, which ` +
        'cannot open it. Dump it with the old version and restore it into a new data folder, or set DATABASE_URL.',
    )
  }
  if (!canEnter(join(cluster, '..'), owner)) {
    throw new Error(
      `PostgreSQL runs as ${owner.name}, who cannot enter ${cluster} any more. ` +
        'Allow others to pass through its parent folders (chmod o+x), or start Carillon as the user who owns it.',
    )
  }
  const expectedUid = owner.ids?.uid ?? process.getuid?.()
  if (statSync(cluster).uid !== expectedUid) giveTo(owner, cluster)
  chmodSync(cluster, 0o700)
}

export function readPassword(dataDir: string): string | undefined {
  return readTrimmed(passwordFile(dataDir)) || undefined
}

/** Gives the superuser a new password without a running server: somebody deleted the file that held it. */
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

/** initdb runs in a side folder that is renamed at the end: an interrupted first start leaves no half-made cluster. */
async function initialise(
  cluster: string,
  owner: Owner,
  binaries: Binaries,
  password: string,
): Promise<void> {
  const workshop = `${cluster}.new`
  rmSync(workshop, { recursive: true, force: true })
  mkdirSync(workshop, { mode: 0o700 })
  const passwordCopy = join(workshop, 'password')
  writeFileSync(passwordCopy, password, { mode: 0o600 })
  giveTo(owner, workshop)
  const { code, output } = await runAs(owner, binaries.initdb, [
    `--pgdata=${join(workshop, 'cluster')}`,
    `--username=${superuser}`,
    `--pwfile=${passwordCopy}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--no-instructions',
  ])
  if (code !== 0) throw new Error(`PostgreSQL's initdb failed as ${owner.name}: ${output.trim()}`)
  renameSync(join(workshop, 'cluster'), cluster)
  rmSync(workshop, { recursive: true, force: true })
}

function placeOutside(dataDir: string, fallbackDir: string, owner: Owner): string {
  makeFolder(fallbackDir)
  if (canEnter(fallbackDir, owner)) {
    return join(fallbackDir, createHash('sha256').update(dataDir).digest('hex').slice(0, 16))
  }
  throw new Error(
    `PostgreSQL runs as ${owner.name}, who can enter neither ${dataDir} nor ${fallbackDir}. ` +
      'Choose a data folder that every user can pass through, or start Carillon as an ordinary user.',
  )
}

/** Whatever lies where the new cluster goes belongs to a data folder that was deleted: kept, but out of the way. */
function setAside(cluster: string, log: (line: string) => void): void {
  if (!existsSync(cluster) || readdirSync(cluster).length === 0) return
  const aside = `${cluster}.old-${Date.now()}`
  renameSync(cluster, aside)
  log(`${cluster} belonged to an earlier data folder and was moved to ${aside}`)
}

/** An ordinary user cannot look into somebody else's cluster, and must not take that for "no cluster yet". */
function refuseForeign(directory: string): void {
  const [owner, self] = [statSync(directory, { throwIfNoEntry: false })?.uid, process.getuid?.()]
  if (owner === undefined || owner === self || self === 0) return
  throw new Error(
    `${directory} belongs to another user (uid ${owner}), so PostgreSQL cannot use it. ` +
      'Start Carillon as that user or as root, or with another data folder.',
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

/** Names the cluster's folder when it could not be in the data folder. */
function locationFile(dataDir: string): string {
  return join(dataDir, 'postgres-location')
}

function readTrimmed(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined
}
