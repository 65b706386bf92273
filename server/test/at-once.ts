/** Lets several calls meet at one place of the database: each on its own connection, all of them before anybody goes on. */
import { type Pool, transaction } from '../src/platform/database/pool.ts'
import { waitFor } from './wait-for.ts'

/** `lock` is a statement that holds them up until all of them wait, and `meanwhile` has happened. */
export async function atOnce<T>(
  pool: Pool,
  lock: string,
  calls: (() => Promise<T>)[],
  meanwhile: () => Promise<unknown> = async () => {},
): Promise<T[]> {
  const answers = await transaction(pool, async tx => {
    await tx.query(lock)
    const started = calls.map(call => call())
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    await waitFor(async () => (await pool.query(waiting)).rowCount === calls.length, {
      what: `${calls.length} calls to wait`,
    })
    await meanwhile()
    // In an object: whoever awaits a promise of promises waits for them inside the transaction that holds them up.
    return { started }
  })
  return Promise.all(answers.started)
}
