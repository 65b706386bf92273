/** A real PostgreSQL of our own, for machines that have none: created in a data folder, started, watched and stopped. */
import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Connection, createClient } from '../database/pool.ts'
import { OWNER } from '../database/roles.ts'
import { archiveSettings, prepareArchive, rememberArchiving } from './embedded-archive.ts'
import { type Binaries, prepareBinaries } from './embedded-binaries.ts'
import {
  checkCluster,
  createCluster,
  findCluster,
  passwordFile,
  readPassword,
  replacePassword,
  superuser,
} from './embedded-cluster.ts'
import { holdDataFolder } from './embedded-lock.ts'
import { chooseOwner, makeFolder, type Owner } from './embedded-owner.ts'
import { choosePort, rememberPort } from './embedded-port.ts'
import { launch, type Postmaster, StartRefused, stopOrphan } from './embedded-postmaster.ts'
import { prepareOwnership, prepareRoles } from './embedded-roles.ts'
import { database, type EmbeddedUrls, embeddedUrls, urlOf } from './embedded-urls.ts'

export interface EmbeddedPostgres extends EmbeddedUrls {
  superuserUrl: string
  /** Where the cluster is: in the data folder, unless PostgreSQL's user cannot enter that. */
  directory: string
  /** Resolves when the server is really down; may be called twice. */
  stop(): Promise<void>
  /** Calls the listener once if PostgreSQL dies by itself, and immediately if it already has. */
  onExit(listener: (reason: string) => void): void
}

export interface EmbeddedOptions {
  dataDir: string
  log: (line: string) => void
  /** PostgreSQL settings in addition to our own, as for `postgres -c`. */
  settings?: Record<string, string>
  /** Where root keeps what PostgreSQL's user cannot reach in the clone or the data folder. */
  fallbackDir?: string
  /** Where to archive PostgreSQL's log; without it, the log is not archived. */
  archiveDir?: string | undefined
}

export const defaultFallbackDir = '/var/lib/carillon'

// After a kill, the last processes of the old server may hold its shared memory for about 3 s.
const launchTimeoutMs = 15_000
const launchRetryMs = 100
const portAttempts = 5

/** Starts the server of a data folder, which this process then owns until stop(). */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { log, fallbackDir = defaultFallbackDir, archiveDir } = options
  const settings = { ...(archiveDir !== undefined && archiveSettings(archiveDir)), ...options.settings }
  const dataDir = openDataFolder(options.dataDir)
  const releaseLock = holdDataFolder(dataDir)
  try {
    const existing = findCluster(dataDir)
    const owner = chooseOwner(existing)
    const binaries = await prepareBinaries({ owner, dataDir, fallbackDir, log })
    const cluster = existing ?? (await createCluster({ dataDir, fallbackDir, owner, binaries, log }))
    checkCluster(cluster, owner, binaries)
    if (archiveDir !== undefined) prepareArchive(archiveDir, cluster, owner)
    await stopOrphan(cluster, log)
    const password = readPassword(dataDir) ?? (await replacePassword(dataDir, cluster, owner, binaries))
    // Before the server writes anything: if this process is killed, nobody else would know.
    rememberArchiving(dataDir, archiveDir)
    const { postmaster, port } = await launchWithRetries({ dataDir, cluster, owner, binaries, settings, log })
    const superuserUrl = urlOf(superuser, password, port)
    await prepareDatabase(superuserUrl, dataDir, port).catch(error =>
      stopAndThrow(postmaster, explain(error, dataDir)),
    )
    const urls = { ...embeddedUrls(dataDir, port)!, superuserUrl }
    return ownedServer(urls, cluster, postmaster, releaseLock)
  } catch (error) {
    releaseLock()
    throw error
  }
}

function openDataFolder(path: string): string {
  try {
    makeFolder(resolve(path))
    return realpathSync(path)
  } catch (error) {
    throw new Error(`The data folder ${resolve(path)} cannot be created: ${(error as Error).message}`)
  }
}

/** Launches on a free port. Tries another one when somebody took it in the meantime, and retries temporary failures. */
async function launchWithRetries(options: {
  dataDir: string
  cluster: string
  owner: Owner
  binaries: Binaries
  settings: Record<string, string>
  log: (line: string) => void
}): Promise<{ postmaster: Postmaster; port: number }> {
  const { dataDir, cluster, owner, binaries, settings, log } = options
  const deadline = Date.now() + launchTimeoutMs
  for (let portsTried = 1; ; ) {
    const port = await choosePort(dataDir)
    const own = {
      listen_addresses: '127.0.0.1',
      port: String(port),
      unix_socket_directories: '',
      timezone: 'UTC',
      log_timezone: 'UTC',
      log_line_prefix: '',
    }
    try {
      const postmaster = await launch({
        postgres: binaries.postgres,
        cluster,
        owner,
        settings: { ...settings, ...own },
        log,
      })
      rememberPort(dataDir, port)
      return { postmaster, port }
    } catch (error) {
      if (!(error instanceof StartRefused)) throw error
      if (/could not (bind|create any TCP)/.test(error.output) && portsTried++ < portAttempts) continue
      if (!isTemporary(error.output) || Date.now() > deadline) throw error
      await delay(launchRetryMs)
    }
  }
}

function isTemporary(output: string): boolean {
  return /pre-existing shared memory block|lock file .* already exists/.test(output)
}

/** The only work of the superuser. */
async function prepareDatabase(superuserUrl: string, dataDir: string, port: number): Promise<void> {
  const serverUrl = Object.assign(new URL(superuserUrl), { pathname: '/postgres' }).href
  await withClient(serverUrl, async client => {
    await prepareRoles(client, dataDir, (role, password) => canConnect(urlOf(role, password, port)))
    const { rowCount } = await client.query('select from pg_database where datname = $1', [database])
    if (rowCount === 0) await client.query(`create database ${database} owner ${OWNER}`)
  })
  await withClient(superuserUrl, async client => {
    await prepareOwnership(client)
    await wakeCheckpointer(client)
  })
}

/**
 * It closes segments of the log for the archive. When it begins while PostgreSQL is still recovering, it takes no notice of
 * archive_timeout, and sleeps until its first checkpoint is due, after five minutes.
 */
async function wakeCheckpointer(superuser: Connection): Promise<void> {
  await superuser.query('select pg_reload_conf()')
}

async function canConnect(url: string): Promise<boolean> {
  return withClient(url, async () => {}).then(
    () => true,
    () => false,
  )
}

async function withClient(url: string, work: (client: Connection) => Promise<void>): Promise<void> {
  const client = createClient(url)
  try {
    await client.connect()
    await work(client)
  } finally {
    await client.end()
  }
}

function explain(error: unknown, dataDir: string): unknown {
  if ((error as { code?: string }).code !== '28P01') return error
  return new Error(
    `${passwordFile(dataDir)} does not contain this database's password. ` +
      'Put the right one back, or delete the file: the next start then sets a new password.',
  )
}

async function stopAndThrow(postmaster: Postmaster, error: unknown): Promise<never> {
  await postmaster.stop()
  throw error
}

function ownedServer(
  urls: EmbeddedUrls & { superuserUrl: string },
  directory: string,
  postmaster: Postmaster,
  releaseLock: () => void,
): EmbeddedPostgres {
  let stopping: Promise<void> | undefined
  // When the Node process ends without stop() (an uncaught error), its server must end too.
  const stopAtExit = () => {
    postmaster.stopWithoutWaiting()
    releaseLock()
  }
  process.once('exit', stopAtExit)

  const stop = async () => {
    await postmaster.stop()
    process.removeListener('exit', stopAtExit)
    releaseLock()
  }
  return {
    ...urls,
    directory,
    stop: () => {
      stopping ??= stop()
      return stopping
    },
    onExit: listener => {
      void postmaster.exited.then(reason => {
        if (!stopping) listener(reason)
      })
    },
  }
}
