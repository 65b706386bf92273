/** The SQL of queues. */
import type { Executor } from '../../platform/database/pool.ts'

export interface QueuedRow {
  queue: string
  /** JSON text, as received. */
  message_json: string
  ordering_key: string | null
  delay_ms: number
  /** Who sent it. */
  origin: string
}

/** One row of the outbox for each trigger that listens; gives their number. */
export async function fireQueueTriggers(db: Executor, tenantId: string, row: QueuedRow): Promise<number> {
  const { queue, ordering_key, delay_ms, origin } = row
  const { rows } = await db.query<{ fired: number }>(
    `select fire_triggers($1, 'queue', $2::jsonb, 'message', $3, $4::jsonb) as fired`,
    [
      tenantId,
      JSON.stringify({ queue }),
      `{"queue":${JSON.stringify(queue)},"message":${row.message_json}}`,
      JSON.stringify({ ordering_key, delay_ms, origin }),
    ],
  )
  return rows[0]!.fired
}
