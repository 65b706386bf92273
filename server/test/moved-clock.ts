/**
 * A database whose clock stands still until a test moves it, so that months of waiting pass in seconds. Carillon asks the
 * database what time it is, and functions of its schema are found before those of PostgreSQL on these connections.
 */
import type { Message } from '../src/content/messages/message.ts'
import type { Pool } from '../src/platform/database/pool.ts'
import { createWake } from '../src/platform/queue/wake.ts'
import type { TestCarillon } from './carillon.ts'
import type { TestDatabaseOptions } from './database.ts'
import { waitFor } from './wait-for.ts'

/** For useCarillon(). */
export const MOVED_CLOCK: TestDatabaseOptions = {
  prepare: `
    create table carillon.moved_clock (at timestamptz not null);
    insert into carillon.moved_clock select date_trunc('minute', pg_catalog.now());
    create function carillon.now() returns timestamptz language sql stable as 'select at from carillon.moved_clock';
    create function carillon.clock_timestamp() returns timestamptz language sql stable as
      'select at from carillon.moved_clock';`,
  onConnect: 'set search_path = carillon, pg_catalog',
}

export async function moveClock(pool: Pool, to: Date): Promise<void> {
  await pool.query('update moved_clock set at = $1', [to])
}

export async function clockOf(pool: Pool): Promise<Date> {
  return (await pool.query<{ at: Date }>('select at from moved_clock')).rows[0]!.at
}

/** Moves the clock on, and delivers everything that becomes due in that time, each at its moment. */
export async function passTime(
  carillon: TestCarillon,
  until: Date,
  onSent: (message: Message) => void,
): Promise<void> {
  const { pool } = carillon
  const wake = createWake()
  const worker = carillon.deliver(
    message => {
      onSent(message)
      return { kind: 'sent' }
    },
    { now: route => route.claimed_at, wake, pollMs: 5, concurrency: 500 },
  )
  for (;;) {
    const { due } = await waitFor(
      async () => {
        const { rows } = await pool.query<{ due: Date | null; is_due: boolean }>(
          `select min(next_attempt_at) as due, min(next_attempt_at) <= now() as is_due from routes
           where next_attempt_at is not null`,
        )
        if (rows[0]?.is_due) wake.call()
        return rows[0]?.is_due ? undefined : rows[0]
      },
      { what: 'everything due to be attempted', everyMs: 2 },
    )
    if (due === null || due > until) break
    await moveClock(pool, due)
  }
  await worker.stop()
  await moveClock(pool, until)
}
