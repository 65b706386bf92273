/** The only access to PostgreSQL: the pool, single connections and transactions. */
import pg from 'pg'

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
  /** Called for connections lost while idle; without a listener Node would end the process. */
  onError?: (error: Error) => void
}

/**
 * jit=off: planning penalties such as enable_seqscan=off push cost estimates over the JIT threshold, and compiling a
 * statement that runs for a millisecond then takes hundreds. The idle limit frees rows locked by a process that hangs.
 */
const SESSION_OPTIONS =
  '-c search_path=carillon -c jit=off -c timezone=UTC -c idle_in_transaction_session_timeout=60000'

/** A server that accepts the connection and then stays silent must not block a start or a request for ever. */
const CONNECT_TIMEOUT_MS = 10_000

export function createPool(url: string, options: PoolOptions = {}): Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max ?? 10,
    options: SESSION_OPTIONS,
    application_name: 'carillon',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  })
  pool.on('error', options.onError ?? (() => {}))
  return pool
}

/** A single connection outside any pool, for LISTEN and for administration. */
export function createClient(url: string): Connection {
  const client = new pg.Client({
    connectionString: url,
    options: SESSION_OPTIONS,
    application_name: 'carillon',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  })
  // A lost connection makes its statements fail; without a listener it would end the process as well.
  client.on('error', () => {})
  return client
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
  // The pool listens to idle connections only: losing one that is checked out would end the process.
  const onLost = (error: Error) => {
    broken = error
  }
  client.on('error', onLost)
  try {
    await client.query('begin')
    const result = await work(client)
    await client.query(end)
    return result
  } catch (error) {
    // A connection that cannot even roll back must not go to the next caller.
    await client.query('rollback').catch(rollbackError => {
      broken = rollbackError as Error
    })
    throw error
  } finally {
    client.removeListener('error', onLost)
    client.release(broken)
  }
}
