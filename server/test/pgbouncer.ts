/** Gives a test file its own PgBouncer in transaction mode, in front of the test server. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, inject } from 'vitest'
import { createPool } from '../src/platform/database/pool.ts'
import { refuseUnpreparedPooler } from '../src/platform/database/pooler.ts'
import { freePort } from './free-port.ts'
import { canRun, createServerProcess, type ServerProcess } from './server-process.ts'
import { waitFor } from './wait-for.ts'

/** Where it is missing and cannot be installed, its tests are skipped; in CI that is a failure. */
export const canStartPgBouncer = canRun('pgbouncer') || process.env.CI === 'true'

export interface TestPgBouncer {
  /** The same database, through the pooler. */
  through(url: string): string
  /** Gives the role what Carillon's sessions need in this database. */
  prepare(url: string): Promise<void>
  /** A command of its console; the rows that it shows. */
  // biome-ignore lint/suspicious/noExplicitAny: each command shows other columns
  ask(command: string): Promise<any[]>
}

export function usePgBouncer(): TestPgBouncer {
  let port = 0
  let folder = ''
  let server: ServerProcess

  const pgbouncer: TestPgBouncer = {
    through(url) {
      const address = new URL(url)
      address.host = `127.0.0.1:${port}`
      return address.href
    },
    async prepare(url) {
      const pool = createPool(pgbouncer.through(url), { isPooler: true })
      const refusal = await refuseUnpreparedPooler(pool, url).catch(error => (error as Error).message)
      await pool.end()
      await withClient(url, client => client.query((refusal ?? '').split('\n').slice(1).join('\n')))
      await pgbouncer.ask('reconnect')
    },
    async ask(command) {
      const address = new URL(pgbouncer.through(inject('postgresUrl')))
      address.pathname = '/pgbouncer'
      return withClient(address.href, async client => (await client.query(command)).rows)
    },
  }

  beforeAll(async () => {
    port = await freePort()
    folder = mkdtempSync(join(inject('scratchDir'), 'pgbouncer-'))
    writeFileSync(join(folder, 'pgbouncer.ini'), settingsFor(folder, port))
    const { username, password } = new URL(inject('postgresUrl'))
    writeFileSync(
      join(folder, 'users.txt'),
      `"${decodeURIComponent(username)}" "${decodeURIComponent(password)}"\n`,
    )
    // It refuses to run as root, and has to read its files as somebody else.
    chmodSync(folder, 0o755)
    const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
    server = createServerProcess('pgbouncer', [...user, join(folder, 'pgbouncer.ini')])
    server.start()
    await waitFor(async () => (await pgbouncer.ask('show version')).length > 0, {
      what: 'pgbouncer to answer',
    })
  })
  afterAll(async () => {
    await server?.kill()
    rmSync(folder, { recursive: true, force: true })
  })
  return pgbouncer
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** What is not here is as the package brings it; above all, no startup parameter is ignored. */
function settingsFor(folder: string, port: number): string {
  const server = new URL(inject('postgresUrl'))
  return `[databases]
* = host=${server.hostname} port=${server.port}
[pgbouncer]
pool_mode = transaction
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, 'users.txt')}
admin_users = ${decodeURIComponent(server.username)}
default_pool_size = 5
`
}
