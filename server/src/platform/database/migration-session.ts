/** The connection that changes the schema: alone, in transactions, and without standing in anybody's way. */
import { setTimeout as pause } from 'node:timers/promises'
import { isDatabaseError } from './errors.ts'
import { type Connection, createClient } from './pool.ts'

export type Log = (line: string) => void

/**
 * Limits that suit a role's daily work would end a long migration, or the wait for another process that migrates.
 * Functions are compared by their names as PostgreSQL writes them, so how it quotes must not change.
 */
const SETTINGS =
  '-c statement_timeout=0 -c lock_timeout=0 -c default_transaction_read_only=off -c quote_all_identifiers=off'

/** It must never change: processes of all versions wait for each other by it. */
const LOCK_ID = '7241865325823964'

/** Shorter than PostgreSQL's own look for deadlocks (1 s): when an upgrade and a process block each other, we give way. */
const LOCK_TIMEOUT_MS = 500
const BEFORE_NEXT_TRY_MS = 200

export async function withSession<T>(url: string, work: (client: Connection) => Promise<T>): Promise<T> {
  const client = createClient(url, SETTINGS)
  await client.connect()
  try {
    // Not among the settings above: PostgreSQL has it since version 17, and refuses connections that name an unknown one.
    await client.query(
      "select set_config(name, '0', false) from pg_settings where name = 'transaction_timeout'",
    )
    return await work(client)
  } finally {
    await client.end()
  }
}

/**
 * Several processes starting at once wait for the one that migrates. They ask again and again: a statement that waits keeps
 * its snapshot, and an index that is built concurrently waits for everybody who has an older one.
 */
export async function alone<T>(client: Connection, log: Log, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; !(await tryLock(client)); tries++) {
    if (tries === 1) log('waiting for another process that migrates')
    await pause(BEFORE_NEXT_TRY_MS)
  }
  try {
    return await work()
  } finally {
    await client.query(`select pg_advisory_unlock(${LOCK_ID})`).catch(() => {})
  }
}

async function tryLock(client: Connection): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    `select pg_try_advisory_lock(${LOCK_ID}) as locked`,
  )
  return rows[0]!.locked
}

/**
 * Runs `work` in one transaction. Whoever waits for a lock on a busy table makes everybody behind it wait as well. So we
 * wait a moment, let the others pass, and come again.
 */
export async function patiently<T>(client: Connection, log: Log, work: () => Promise<T>): Promise<T> {
  return untilNobodyIsInTheWay(log, () => inTransaction(client, work))
}

/** For work outside a transaction, which has to bear being repeated. */
export async function untilNobodyIsInTheWay<T>(log: Log, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!isDatabaseError(error, 'lock_not_available', 'deadlock_detected')) throw error
      if (tries === 1) log('waiting for a transaction that uses what is to be changed')
      await pause(BEFORE_NEXT_TRY_MS)
    }
  }
}

async function inTransaction<T>(client: Connection, work: () => Promise<T>): Promise<T> {
  await client.query('begin')
  try {
    await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
    const result = await work()
    await client.query('commit')
    return result
  } catch (error) {
    // Where the connection is lost, what was lost with it matters more than that it cannot roll back.
    await client.query('rollback').catch(() => {})
    throw error
  }
}
