/** Triggers as rows, for tests of what makes them fire: nothing runs their scripts. */
import { randomUUID } from 'node:crypto'
import type { Pool } from '../src/platform/database/pool.ts'

type Details = { collection_glob: string; ops?: string[] } | { queue_glob: string }

/** Gives its id. */
export async function addTrigger(
  pool: Pool,
  tenantId: string,
  details: Details,
  { is_enabled = true } = {},
): Promise<string> {
  const [id, script] = [randomUUID(), randomUUID()]
  const kind = 'queue_glob' in details ? 'queue' : 'kv'
  await pool.query('insert into scripts (tenant_id, id, name, version) values ($1, $2, $3, 1)', [
    tenantId,
    script,
    script,
  ])
  await pool.query(
    `insert into triggers (tenant_id, id, name, script_id, kind, is_enabled, max_attempts, backoff, base_ms,
       registered_by_key, registered_scopes)
     select $1, $2, 'test', $3, $4, $5, 7, 'linear', 5, id, '{}' from api_keys where tenant_id = $1 limit 1`,
    [tenantId, id, script, kind, is_enabled],
  )
  if ('queue_glob' in details)
    await pool.query(
      'insert into queue_trigger_details (tenant_id, trigger_id, queue_glob) values ($1, $2, $3)',
      [tenantId, id, details.queue_glob],
    )
  else
    await pool.query(
      'insert into kv_trigger_details (tenant_id, trigger_id, collection_glob, ops) values ($1, $2, $3, $4)',
      [tenantId, id, details.collection_glob, details.ops ?? []],
    )
  return id
}

export interface Fired {
  id: string
  source_kind: string
  op: string
  target_id: string
  payload: string
  context: Record<string, unknown>
  ordering_key: string | null
  trigger_depth: number
  max_attempts: number
  backoff: string
  base_ms: number
  delay_seconds: number
}

/** What the outbox has for triggers, oldest first. */
export async function firedRows(pool: Pool): Promise<Fired[]> {
  const { rows } = await pool.query<Fired>(
    `select id, source_kind, op, target_id, payload, context, ordering_key, trigger_depth, max_attempts, backoff, base_ms,
       extract(epoch from next_attempt_at - created_at)::float8 as delay_seconds
     from outbox where source_kind in ('kv', 'queue') order by seq`,
  )
  return rows
}
