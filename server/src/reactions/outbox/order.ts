/**
 * First in, first out per target and ordering key: only the first row of a key is ever claimed, and those behind it are
 * put aside until it is completed.
 */
import type { Pool } from '../../platform/database/pool.ts'

const MAX_ROWS = 1000

/** Puts aside rows that are due but not the first of their key. Returns how many. */
export async function putBlockedAside(pool: Pool): Promise<number> {
  for (let moved = 0; ; ) {
    const { rows } = await pool.query<{ moved: number }>({
      name: 'set_outbox_aside',
      text: 'select set_outbox_aside($1) as moved',
      values: [MAX_ROWS],
    })
    moved += rows[0]!.moved
    if (rows[0]!.moved < MAX_ROWS) return moved
  }
}
