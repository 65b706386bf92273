/** Putting work into the outbox from code; most of it is put there by emit_events() and other SQL. */
import { uuidv7 } from 'uuidv7'
import type { Executor } from '../../platform/database/pool.ts'
import type { BackoffShape } from '../../platform/queue/backoff.ts'

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

/** S003-10: what a row gets that says nothing else. */
const DEFAULTS = {
  context: {},
  ordering_key: null,
  batch_size: 1,
  trigger_depth: 0,
  max_attempts: 3,
  backoff: 'exponential' as BackoffShape,
  base_ms: 1000,
  cap_ms: 86_400_000,
  jitter: 0.2,
  delay_ms: 0,
}

/** In the caller's transaction: the work is there exactly when its cause is. Answers the ids, in order. */
export async function enqueue(db: Executor, rows: NewOutboxRow[]): Promise<string[]> {
  const whole = rows.map(row => ({ id: uuidv7(), ...DEFAULTS, ...row }))
  await db.query(
    `insert into outbox (id, tenant_id, source_kind, op, target_id, payload, context, ordering_key, batch_size,
       trigger_depth, max_attempts, backoff, base_ms, cap_ms, jitter, next_attempt_at)
     select id, tenant_id, source_kind, op, target_id, payload, context, ordering_key, batch_size, trigger_depth,
       max_attempts, backoff, base_ms, cap_ms, jitter, now() + make_interval(secs => delay_ms / 1000)
     from jsonb_to_recordset($1::jsonb) as n (id uuid, tenant_id uuid, source_kind text, op text, target_id uuid,
       payload text, context jsonb, ordering_key text, batch_size integer, trigger_depth integer, max_attempts integer,
       backoff text, base_ms integer, cap_ms integer, jitter real, delay_ms float8)`,
    [JSON.stringify(whole)],
  )
  return whole.map(row => row.id)
}
