/** Runs: what scripts did, for whoever asks why. */
import type { Run, RunDetail } from '@carillon/contract'
import { notFound } from '../../platform/calls/refusal.ts'
import type { Executor } from '../../platform/database/pool.ts'
import { type RunRow, selectRun } from './queries.ts'

export async function getRun(db: Executor, tenantId: string, id: string): Promise<RunDetail> {
  const row = await selectRun(db, tenantId, id)
  if (row === undefined) throw notFound(`run ${id}`)
  const { logs, effects, result_json } = row
  return { ...toRun(row), logs, effects, result_json }
}

/** undefined when it is past its retention. */
export async function findRun(db: Executor, tenantId: string, id: string): Promise<Run | undefined> {
  const row = await selectRun(db, tenantId, id)
  return row && toRun(row)
}

export function toRun(row: RunRow): Run {
  return {
    id: row.id,
    script_id: row.script_id,
    script_name: row.script_name,
    script_version: row.script_version,
    trigger_id: row.trigger_id,
    kind: row.kind,
    op: row.op,
    event_id: row.event_id,
    attempt: row.attempt,
    depth: row.trigger_depth,
    ran_as: row.ran_as,
    origin: row.origin,
    status: row.status,
    failure_kind: row.failure_kind === '' ? null : row.failure_kind,
    error: row.error,
    duration_ms: row.duration_ms,
    cpu_ms: row.cpu_ms,
    created_at: row.created_at.toISOString(),
  }
}
