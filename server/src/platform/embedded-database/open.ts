/** The database to use: the configured one, or an embedded one that is started, watched and restarted. */
import { existsSync, realpathSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import { createClient } from '../database/pool.ts'
import { startWhenRoom } from './disk-room.ts'
import { type EmbeddedPostgres, startEmbedded } from './embedded.ts'
import { archiveFolder } from './embedded-archive.ts'
import { findCluster } from './embedded-cluster.ts'
import { DataFolderHeld } from './embedded-lock.ts'
import { findReadyPort } from './embedded-postmaster.ts'
import { type EmbeddedUrls, embeddedUrls } from './embedded-urls.ts'
import { refuseUnfinishedRestore } from './unfinished-restore.ts'

export interface Database {
  url: string
  /** The role that may change the schema: another one than that of `url` on the embedded server. */
  ownerUrl: string
  /** Describes the database to people, without secrets. */
  note: string
  close(): Promise<void>
  /** The folder of the embedded server's cluster; undefined for any other server. */
  cluster: string | undefined
  /** Called when the database is gone for good. */
  onLost(listener: (reason: string) => void): void
}

/** What a command gets; whether it is still there tomorrow is not its concern. */
export interface BorrowedDatabase extends Pick<Database, 'url' | 'ownerUrl' | 'cluster' | 'close'> {
  /** Whether a process is running on the embedded server. */
  isBesideProcess: boolean
}

/** Longer than a start or a stop takes on a busy machine. */
const BORROW_TRIES = 150
const BORROW_RETRY_MS = 200
const OLDEST_VERSION = 15

export async function openDatabase(config: Config, log: (line: string) => void): Promise<Database> {
  return config.DATABASE_URL === '' ? openEmbedded(config, log) : openConfigured(config)
}

/** Whether there is anything to open; with a configured address, that is for the server there to say. */
export function hasDatabase(config: Config): boolean {
  return (
    config.DATABASE_URL !== '' ||
    (existsSync(config.dataDir) && findCluster(realpathSync(config.dataDir)) !== undefined)
  )
}

/** For a command: the database of the Carillon that runs on the data folder, or else one that is started for a while. */
export async function borrowDatabase(config: Config, log: (line: string) => void): Promise<BorrowedDatabase> {
  if (config.DATABASE_URL !== '') return { ...(await openConfigured(config)), isBesideProcess: false }
  for (let tries = 1; ; tries++) {
    try {
      return { ...(await openEmbedded(config, log)), isBesideProcess: false }
    } catch (error) {
      if (!(error instanceof DataFolderHeld)) throw error
      const running = findRunning(config.dataDir)
      if (running !== undefined) return { ...running, isBesideProcess: true, close: async () => {} }
      // Whoever holds the folder is just starting or stopping.
      if (tries === BORROW_TRIES) throw error
      await delay(BORROW_RETRY_MS)
    }
  }
}

function findRunning(dataDir: string): (EmbeddedUrls & { cluster: string }) | undefined {
  const cluster = findCluster(realpathSync(dataDir))
  const port = cluster === undefined ? undefined : findReadyPort(cluster)
  const urls = port === undefined ? undefined : embeddedUrls(dataDir, port)
  return urls === undefined ? undefined : { ...urls, cluster: cluster! }
}

async function openConfigured({
  DATABASE_URL: url,
  DATABASE_OWNER_URL: ownerUrl,
}: Config): Promise<Database> {
  const { host, pathname } = new URL(url)
  const note = `PostgreSQL at ${host}${pathname}`
  const identity = await refuseUnusable(url, note, 'DATABASE_URL')
  if (ownerUrl !== '') await refuseOtherDatabase(ownerUrl, identity)
  return {
    url,
    ownerUrl: ownerUrl || url,
    note,
    cluster: undefined,
    close: async () => {},
    onLost: () => {},
  }
}

/** Migrating another one than that of the processes would go unnoticed until they miss a table. */
async function refuseOtherDatabase(ownerUrl: string, identity: string): Promise<void> {
  const { host, pathname } = new URL(ownerUrl)
  const note = `PostgreSQL at ${host}${pathname}`
  if ((await refuseUnusable(ownerUrl, note, 'DATABASE_OWNER_URL')) === identity) return
  throw new Error(
    `${note} is not the database of DATABASE_URL. Check DATABASE_OWNER_URL: it names the same database for another role.`,
  )
}

/** Returns what tells the database from all others. */
async function refuseUnusable(url: string, note: string, setting: string): Promise<string> {
  const client = createClient(url)
  try {
    await client.connect()
    const { rows } = await client.query<{ version: number; identity: string }>(
      `select current_setting('server_version_num')::integer / 10000 as version,
         oid || ' ' || extract(epoch from pg_postmaster_start_time()) as identity
       from pg_database where datname = current_database()`,
    )
    const { version, identity } = rows[0]!
    if (version < OLDEST_VERSION) {
      throw new Error(`it is version ${version}, and Carillon needs ${OLDEST_VERSION} or newer`)
    }
    return identity
  } catch (error) {
    if (/unsupported startup parameter/.test(reasonOf(error)))
      throw new Error(
        `${note} is a pooler. Put the address of the server itself into ${setting}, and that of the pooler into CARILLON_POOLER_URL.`,
      )
    const orEmbedded =
      setting === 'DATABASE_URL' ? ', or unset DATABASE_URL to use the embedded database' : ''
    throw new Error(
      `${note} cannot be used: ${reasonOf(error)}.\nCheck ${setting} and that the server is running${orEmbedded}.`,
    )
  } finally {
    await client.end().catch(() => {})
  }
}

function reasonOf(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string }
  return message || code || String(error)
}

async function openEmbedded(config: Config, log: (line: string) => void): Promise<Database> {
  const { dataDir } = config
  const archiveDir = archiveFolder(config)
  refuseUnfinishedRestore(dataDir)
  let closed = false
  let server: EmbeddedPostgres
  const lostListeners: ((reason: string) => void)[] = []
  const lose = (reason: string) => {
    for (const listener of lostListeners) listener(reason)
  }

  /** A crashed server comes back at the same address; open connections fail and are opened again. */
  function watch(current: EmbeddedPostgres): void {
    current.onExit(reason => {
      if (closed) return
      log(`The embedded PostgreSQL stopped by itself (${reason}); starting it again.`)
      void restart(current).catch(error =>
        lose(`The embedded PostgreSQL could not be restarted: ${reasonOf(error)}`),
      )
    })
  }

  async function restart(dead: EmbeddedPostgres): Promise<void> {
    await dead.stop()
    const next = await startWhenRoom({
      start: () => startEmbedded({ dataDir, log, archiveDir }),
      isClosed: () => closed,
      log,
    })
    if (next === undefined) return
    server = next
    if (closed) return server.stop()
    watch(server)
    if (server.url !== dead.url)
      lose('The embedded PostgreSQL had to move to another port; start Carillon again.')
  }

  server = await startEmbedded({ dataDir, log, archiveDir })
  watch(server)
  return {
    url: server.url,
    ownerUrl: server.ownerUrl,
    note: `embedded PostgreSQL in ${server.directory}`,
    cluster: server.directory,
    async close() {
      closed = true
      await server.stop()
    },
    onLost: listener => lostListeners.push(listener),
  }
}
