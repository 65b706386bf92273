/**
 * First in, first out per target and key: only the first row of a key is ever claimed, and those behind it are put aside
 * until it is gone.
 */
import type { Pool } from '../../platform/database/pool.ts'

const CHUNK = 1000

/** Puts aside what is due but not first. Answers how many. */
export async function putBlockedAside(pool: Pool): Promise<number> {
  for (let moved = 0; ; ) {
    const { rows } = await pool.query<{ moved: number }>({
      name: 'set_outbox_aside',
      text: 'select set_outbox_aside($1) as moved',
      values: [CHUNK],
    })
    moved += rows[0]!.moved
    if (rows[0]!.moved < CHUNK) return moved
  }
}
