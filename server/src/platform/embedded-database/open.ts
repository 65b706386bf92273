/** The database to use: the configured one, or an embedded one that is started, watched and restarted. */
import type { Config } from '../config/config.ts'
import { createClient } from '../database/pool.ts'
import { type EmbeddedPostgres, startEmbedded } from './embedded.ts'

export interface Database {
  url: string
  /** Describes the database to people, without secrets. */
  note: string
  close(): Promise<void>
  /** Called when the database is gone for good. */
  onLost(listener: (reason: string) => void): void
}

const OLDEST_VERSION = 15

export async function openDatabase(config: Config, log: (line: string) => void): Promise<Database> {
  return config.DATABASE_URL === '' ? openEmbedded(config.dataDir, log) : openConfigured(config.DATABASE_URL)
}

async function openConfigured(url: string): Promise<Database> {
  const { host, pathname } = new URL(url)
  const note = `PostgreSQL at ${host}${pathname}`
  await refuseUnusable(url, note)
  return { url, note, close: async () => {}, onLost: () => {} }
}

async function refuseUnusable(url: string, note: string): Promise<void> {
  const client = createClient(url)
  try {
    await client.connect()
    const { rows } = await client.query<{ version: number }>(
      "select current_setting('server_version_num')::integer / 10000 as version",
    )
    const version = rows[0]!.version
    if (version < OLDEST_VERSION) {
      throw new Error(`it is version ${version}, and Carillon needs ${OLDEST_VERSION} or newer`)
    }
  } catch (error) {
    throw new Error(
      `${note} cannot be used: ${reasonOf(error)}.\nCheck DATABASE_URL and that the server is running, or unset DATABASE_URL to use the embedded database.`,
    )
  } finally {
    await client.end().catch(() => {})
  }
}

function reasonOf(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string }
  return message || code || String(error)
}

async function openEmbedded(dataDir: string, log: (line: string) => void): Promise<Database> {
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
    if (closed) return
    server = await startEmbedded({ dataDir, log })
    if (closed) return server.stop()
    watch(server)
    if (server.url !== dead.url)
      lose('The embedded PostgreSQL had to move to another port; start Carillon again.')
  }

  server = await startEmbedded({ dataDir, log })
  watch(server)
  return {
    url: server.url,
    note: `embedded PostgreSQL in ${server.directory}`,
    async close() {
      closed = true
      await server.stop()
    },
    onLost: listener => lostListeners.push(listener),
  }
}
