/** Transactions that stay open while a test does something else, and what waits for them. */
import { onTestFinished } from 'vitest'
import type { Client, Pool } from '../src/platform/database/pool.ts'
import { waitFor } from './wait-for.ts'

export interface OpenTransaction {
  readonly client: Client
  commit(): Promise<void>
  rollback(): Promise<void>
}

/** Has a connection of its own. A test that fails before it ends the transaction rolls it back. */
export async function openTransaction(pool: Pool): Promise<OpenTransaction> {
  const client = await pool.connect()
  let isOver = false
  const end = async (how: 'commit' | 'rollback') => {
    if (isOver) return
    isOver = true
    await client.query(how)
    client.release()
  }
  onTestFinished(() => end('rollback'))
  await client.query('begin')
  return { client, commit: () => end('commit'), rollback: () => end('rollback') }
}

/** Waits until exactly so many connections of the test's database wait for a lock; gives the ids of their processes. */
export function untilBlocked(pool: Pool, count: number, what: string): Promise<number[]> {
  const waiting = `select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
  return waitFor(
    async () => {
      const { rows } = await pool.query<{ pid: number }>(waiting)
      return rows.length === count && rows.map(row => row.pid)
    },
    { what },
  )
}
