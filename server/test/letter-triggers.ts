/** Triggers that run a script for dead letters. */
import { randomUUID } from 'node:crypto'
import type { Pool } from '../src/platform/database/pool.ts'

export interface LetterTrigger {
  id: string
  script_id: string
}

/** Which letters it wants; what is left out means any. */
export interface LetterFilter {
  is_enabled?: boolean
  source?: string
  trigger_id?: string
  script_id?: string
}

/** Each with a script of its own. */
export async function addLetterTrigger(
  pool: Pool,
  tenantId: string,
  { is_enabled = true, source, trigger_id, script_id }: LetterFilter = {},
): Promise<LetterTrigger> {
  const trigger = { id: randomUUID(), script_id: randomUUID() }
  await pool.query(
    `with script as (
       insert into scripts (tenant_id, id, name, version) values ($1, $2, $2::uuid::text, 1)
     ),
     version as (
       insert into script_versions (tenant_id, script_id, version, source, author_scopes)
       values ($1, $2, 1, 'export default () => {}', '{}')
     ),
     added as (
       insert into triggers (tenant_id, id, name, script_id, kind, is_enabled, max_attempts, backoff, base_ms,
         registered_by_key, registered_scopes)
       select $1, $3, 'handler', $2, 'dead_letter', $4, 9, 'constant', 1, k.id, '{}'
       from api_keys k where k.tenant_id = $1 limit 1
     )
     insert into dead_letter_trigger_details (tenant_id, trigger_id, source, source_trigger_id, source_script_id)
     values ($1, $3, $5, $6, $7)`,
    [
      ...[tenantId, trigger.script_id, trigger.id, is_enabled],
      ...[source ?? null, trigger_id ?? null, script_id ?? null],
    ],
  )
  return trigger
}
