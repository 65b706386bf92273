/** Putting work into the outbox. functions/outbox/enqueue.sql has the defaults, and is what SQL calls. */
import type { Executor } from '../../platform/database/pool.ts'
import type { BackoffShape } from '../../platform/queue/backoff.ts'
import { withActiveTrace } from '../../platform/tracing/active-span.ts'

export interface NewOutboxRow {
  id?: string
  tenant_id: string
  source_kind: string
  op: string
  target_id: string
  payload: string
  context?: Record<string, unknown>
  ordering_key?: string | null
  batch_size?: number
  trigger_depth?: number
  max_attempts?: number
  backoff?: BackoffShape
  base_ms?: number
  cap_ms?: number
  jitter?: number
  delay_ms?: number
}

/** Call it in the transaction of the change, so that neither exists without the other. Returns the ids, in order. */
export async function enqueue(db: Executor, rows: NewOutboxRow[]): Promise<string[]> {
  const { rows: added } = await db.query<{ id: string }>(
    `select enqueue(tenant_id, source_kind, op, target_id, payload, context, ordering_key, batch_size, trigger_depth,
       max_attempts, backoff, base_ms, cap_ms, jitter, now() + make_interval(secs => delay_ms / 1000), id) as id
     from jsonb_to_recordset($1::jsonb) as n (id uuid, tenant_id uuid, source_kind text, op text, target_id uuid,
       payload text, context jsonb, ordering_key text, batch_size integer, trigger_depth integer, max_attempts integer,
       backoff text, base_ms integer, cap_ms integer, jitter real, delay_ms float8)`,
    [JSON.stringify(rows.map(row => ({ ...row, context: withActiveTrace(row.context) })))],
  )
  return added.map(row => row.id)
}
