/** The only access to PostgreSQL: the pool, single connections and transactions. */
import pg from 'pg'
import { isDatabaseError, isUnavailableError } from './errors.ts'

export type Pool = pg.Pool
export type Client = pg.PoolClient
/** One outside any pool. */
export type Connection = pg.Client

/** What a query function needs: the pool, or the client of a running transaction. */
export interface Executor {
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<pg.QueryResult<Row>>
}

export interface PoolOptions {
  max?: number
  /** No statement may take longer than this; without it, there is no limit. */
  timeoutMs?: number
  /** How long a connection that nobody uses stays open. */
  idleMs?: number
  /** The address is that of a pooler in transaction mode, which takes no settings; see pooler.ts. */
  isPooler?: boolean
  /** Called for connections lost while idle; without a listener Node would end the process. */
  onError?: (error: Error) => void
}

/**
 * What the statements rely on, whatever the server, the database or the role has been set to.
 * jit=off: planning penalties such as enable_seqscan=off push cost estimates over the JIT threshold, and compiling a
 * statement that runs for a millisecond then takes hundreds. The idle limit frees rows locked by a process that hangs.
 */
export const SESSION_SETTINGS = {
  search_path: 'carillon',
  jit: 'off',
  timezone: 'UTC',
  standard_conforming_strings: 'on',
  default_transaction_isolation: 'read committed',
}
const SESSION_OPTIONS = Object.entries(SESSION_SETTINGS)
  .map(([name, value]) => `-c ${name}=${value.replace(' ', '\\ ')}`)
  .join(' ')
const IDLE_IN_TRANSACTION_MS = 60_000

/** A server that accepts the connection and then stays silent must not block a start or a request for ever. */
const CONNECT_TIMEOUT_MS = 10_000

/**
 * The server ends a statement at its limit, and so frees what it waits for. One that has not said so a moment later is
 * behind a connection that nobody will ever close, such as one that a firewall has forgotten.
 */
const READ_GRACE_MS = 1000

/** How long a server that has no connection left is not asked for another. */
const REFUSED_MS = 1000

export function createPool(url: string, options: PoolOptions = {}): Pool {
  const { max = 10, timeoutMs, idleMs, isPooler = false } = options
  const connection = isPooler ? connectionToPooler(url) : connectionTo(url, SESSION_OPTIONS)
  const pool = new ModestPool({
    ...connection,
    max,
    ...(idleMs !== undefined && { idleTimeoutMillis: idleMs }),
    ...(isPooler ? ownLimitOf(timeoutMs) : limitsOf(timeoutMs)),
  })
  pool.on('error', options.onError ?? (() => {}))
  // The pool listens to idle connections only, and a lost one makes the statements of its user fail. In between there
  // is a moment when nobody listens, and a session that ends then would end the process.
  pool.on('connect', client => void client.on('error', () => {}))
  return pool
}

type OnConnect = (error: Error | undefined, client: pg.PoolClient | undefined, release: () => void) => void

/**
 * Of a server that has fewer connections left than the pool may have, whoever comes waits for one of those there are.
 * Otherwise they would be refused although others have one, and would keep the last ones from each other, since a server
 * counts those too that it is about to refuse.
 */
class ModestPool extends pg.Pool {
  readonly #most: number
  #open = 0
  #patience: NodeJS.Timeout | undefined

  constructor(config: pg.PoolConfig & { max: number }) {
    super(config)
    this.#most = config.max
    this.on('connect', () => this.#open++)
    this.on('remove', () => this.#open--)
  }

  // biome-ignore lint/suspicious/noExplicitAny: with a callback, as pg.Pool itself calls it, or without
  override connect(callback?: OnConnect): any {
    if (callback !== undefined) return this.#connectOrWait(callback)
    return new Promise((resolve, reject) =>
      this.#connectOrWait((error, client) => (error ? reject(error) : resolve(client))),
    )
  }

  #connectOrWait(callback: OnConnect): void {
    super.connect((error, client, release) => {
      if (!isDatabaseError(error, 'too_many_connections')) return callback(error, client, release)
      this.#makeDo()
      if (this.#open > 0) this.#connectOrWait(callback)
      else callback(error, client, release)
    })
  }

  /** With those there are, for a moment; without any, with one try at a time. */
  #makeDo(): void {
    this.options.max = Math.max(1, this.#open)
    clearTimeout(this.#patience)
    this.#patience = setTimeout(() => {
      this.options.max = this.#most
    }, REFUSED_MS).unref()
  }
}

function limitsOf(timeoutMs?: number): pg.PoolConfig {
  if (timeoutMs === undefined) return {}
  return {
    ...ownLimitOf(timeoutMs),
    statement_timeout: timeoutMs,
    idle_in_transaction_session_timeout: Math.min(timeoutMs, IDLE_IN_TRANSACTION_MS),
  }
}

/** The limit that needs no server to hold it. */
function ownLimitOf(timeoutMs?: number): pg.PoolConfig {
  return timeoutMs === undefined ? {} : { query_timeout: timeoutMs + READ_GRACE_MS }
}

/** A single connection outside any pool, for LISTEN and for administration; `settings` are added to those of all. */
export function createClient(url: string, settings = ''): Connection {
  const client = new pg.Client(connectionTo(url, `${SESSION_OPTIONS} ${settings}`))
  // A lost connection makes its statements fail; without a listener it would end the process as well.
  client.on('error', () => {})
  return client
}

/** pg would take options of the address instead of ours. Both count, and ours last: statements rely on them. */
function connectionTo(url: string, settings: string): pg.ClientConfig {
  const address = new URL(url)
  const given = address.searchParams.get('options')
  address.searchParams.delete('options')
  return {
    connectionString: given === null ? url : address.href,
    options: given === null ? settings : `${given} ${settings}`,
    application_name: 'carillon',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
  }
}

/** A statement keeps its name in one session, and the next transaction may have another: so none gets a name. */
class NamelessClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: one of pg's many overloads, passed on as it is
  override query(statement: any, ...rest: any[]): any {
    const isNamed = typeof statement === 'object' && statement.name !== undefined
    return (super.query as (...args: unknown[]) => unknown)(
      isNamed ? { ...statement, name: undefined } : statement,
      ...rest,
    )
  }
}

/** A pooler refuses what it cannot give to whoever has the session next. */
function connectionToPooler(url: string): pg.PoolConfig {
  return {
    Client: NamelessClient,
    connectionString: url,
    application_name: 'carillon',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  }
}

/** Runs `work` in one transaction: all of it happens, or nothing. */
export function transaction<T>(pool: Pool, work: (tx: Client) => Promise<T>): Promise<T> {
  return inTransaction(pool, work, 'commit')
}

/** Runs `work` in a transaction that is always rolled back: `work` sees what it wrote, nobody else ever does. */
export function transactionThenRollback<T>(pool: Pool, work: (tx: Client) => Promise<T>): Promise<T> {
  return inTransaction(pool, work, 'rollback')
}

/** Runs `work` so that all of its statements see the same moment. They only read. */
export function atOneMoment<T>(pool: Pool, work: (tx: Client) => Promise<T>): Promise<T> {
  return inTransaction(pool, work, 'commit', 'begin isolation level repeatable read, read only')
}

async function inTransaction<T>(
  pool: Pool,
  work: (tx: Client) => Promise<T>,
  end: 'commit' | 'rollback',
  begin = 'begin',
): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query(begin)
    const result = await work(client)
    await client.query(end)
    return result
  } catch (error) {
    // The next caller must not get a connection that is lost, silent, or led to a server that only reads.
    if (isUnavailableError(error)) broken = error as Error
    // Nor one that cannot even roll back. What is closed is rolled back by the server.
    else
      await client.query('rollback').catch(rollbackError => {
        broken = rollbackError as Error
      })
    throw error
  } finally {
    client.release(broken)
  }
}
