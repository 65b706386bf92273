/** The only access to PostgreSQL: the pool, single connections and transactions. */
import pg from 'pg'
import { isUnavailableError } from './errors.ts'

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
  /** Called for connections lost while idle; without a listener Node would end the process. */
  onError?: (error: Error) => void
}

/**
 * What the statements rely on, whatever the server, the database or the role has been set to.
 * jit=off: planning penalties such as enable_seqscan=off push cost estimates over the JIT threshold, and compiling a
 * statement that runs for a millisecond then takes hundreds. The idle limit frees rows locked by a process that hangs.
 */
const SESSION_OPTIONS = [
  '-c search_path=carillon -c jit=off -c timezone=UTC',
  '-c standard_conforming_strings=on -c default_transaction_isolation=read\\ committed',
].join(' ')
const IDLE_IN_TRANSACTION_MS = 60_000

/** A server that accepts the connection and then stays silent must not block a start or a request for ever. */
const CONNECT_TIMEOUT_MS = 10_000

/**
 * The server ends a statement at its limit, and so frees what it waits for. One that has not said so a moment later is
 * behind a connection that nobody will ever close, such as one that a firewall has forgotten.
 */
const READ_GRACE_MS = 1000

export function createPool(url: string, options: PoolOptions = {}): Pool {
  const pool = new pg.Pool({
    ...connectionTo(url, SESSION_OPTIONS),
    max: options.max ?? 10,
    ...limitsOf(options.timeoutMs),
  })
  pool.on('error', options.onError ?? (() => {}))
  // The pool listens to idle connections only, and a lost one makes the statements of its user fail. In between there
  // is a moment when nobody listens, and a session that ends then would end the process.
  pool.on('connect', client => void client.on('error', () => {}))
  return pool
}

function limitsOf(timeoutMs?: number): pg.PoolConfig {
  if (timeoutMs === undefined) return {}
  return {
    statement_timeout: timeoutMs,
    query_timeout: timeoutMs + READ_GRACE_MS,
    idle_in_transaction_session_timeout: Math.min(timeoutMs, IDLE_IN_TRANSACTION_MS),
  }
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

/** Runs `work` in one transaction: all of it happens, or nothing. */
export function transaction<T>(pool: Pool, work: (tx: Client) => Promise<T>): Promise<T> {
  return inTransaction(pool, work, 'commit')
}

/** Runs `work` in a transaction that is always rolled back: `work` sees what it wrote, nobody else ever does. */
export function transactionThenRollback<T>(pool: Pool, work: (tx: Client) => Promise<T>): Promise<T> {
  return inTransaction(pool, work, 'rollback')
}

async function inTransaction<T>(
  pool: Pool,
  work: (tx: Client) => Promise<T>,
  end: 'commit' | 'rollback',
): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query('begin')
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
