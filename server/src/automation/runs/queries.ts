/** The SQL of runs. */
import type { RunEffect, RunFailure, RunLogLine, RunStatus, ScriptEventKind } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'

export interface RunRow {
  id: string
  script_id: string
  script_name: string
  script_version: number
  trigger_id: string | null
  kind: ScriptEventKind
  op: string
  event_id: string
  attempt: number
  trigger_depth: number
  ran_as: string
  origin: string
  status: RunStatus
  failure_kind: RunFailure | ''
  error: string
  duration_ms: number
  cpu_ms: number
  created_at: Date
}

export interface RunDetails {
  logs: RunLogLine[]
  effects: RunEffect[]
  result_json: string | null
}

export type NewRun = Omit<RunRow, 'created_at'> & RunDetails & { tenant_id: string }

const RUN = `id, script_id, script_name, script_version, trigger_id, kind, op, event_id, attempt, trigger_depth, ran_as,
  origin, status, failure_kind, error, duration_ms, cpu_ms, created_at`

export async function insertRuns(db: Executor, runs: NewRun[]): Promise<void> {
  await db.query(
    `insert into runs (tenant_id, id, script_id, script_name, script_version, trigger_id, kind, op, event_id, attempt,
       trigger_depth, ran_as, origin, status, failure_kind, error, logs, effects, result_json, duration_ms, cpu_ms)
     select tenant_id, id, script_id, script_name, script_version, trigger_id, kind, op, event_id, attempt,
       trigger_depth, ran_as, origin, status, failure_kind, error, logs, effects, result_json, duration_ms, cpu_ms
     from jsonb_to_recordset($1::jsonb) as r (tenant_id uuid, id uuid, script_id uuid, script_name text,
       script_version integer, trigger_id uuid, kind text, op text, event_id uuid, attempt integer,
       trigger_depth integer, ran_as text, origin text, status text, failure_kind text, error text, logs jsonb,
       effects jsonb, result_json text, duration_ms integer, cpu_ms integer)`,
    [JSON.stringify(runs)],
  )
}

export interface TenantState {
  is_suspended: boolean
  /** Whether its scripts may call other services. */
  may_fetch: boolean
}

export async function selectTenantState(db: Executor, tenantId: string): Promise<TenantState | undefined> {
  const { rows } = await db.query<TenantState>(
    'select suspended_at is not null as is_suspended, script_http_allowed as may_fetch from tenants where id = $1',
    [tenantId],
  )
  return rows[0]
}

/** Whether the event's effects are stored. */
export async function hasSucceeded(db: Executor, tenantId: string, eventId: string): Promise<boolean> {
  const { rowCount } = await db.query(
    "select from runs where tenant_id = $1 and event_id = $2 and status = 'succeeded'",
    [tenantId, eventId],
  )
  return rowCount === 1
}

export async function selectRuns(
  db: Executor,
  tenantId: string,
  query: {
    script_id?: string | undefined
    trigger_id?: string | undefined
    event_id?: string | undefined
    status?: RunStatus | undefined
    kind?: ScriptEventKind | undefined
    after: (string | number)[] | undefined
    limit: number
  },
): Promise<RunRow[]> {
  const { rows } = await db.query<RunRow>(
    `select ${RUN} from runs
     where tenant_id = $1 and ($2::uuid is null or script_id = $2) and ($3::uuid is null or trigger_id = $3)
       and ($4::uuid is null or event_id = $4) and ($5::text is null or status = $5) and ($6::text is null or kind = $6)
       and ($7::timestamptz is null or (created_at, id) < ($7, $8::uuid))
     order by created_at desc, id desc limit $9`,
    [
      ...[tenantId, query.script_id ?? null, query.trigger_id ?? null, query.event_id ?? null],
      ...[query.status ?? null, query.kind ?? null, query.after?.[0] ?? null, query.after?.[1] ?? null],
      query.limit,
    ],
  )
  return rows
}

export async function selectRun(
  db: Executor,
  tenantId: string,
  id: string,
): Promise<(RunRow & RunDetails) | undefined> {
  const { rows } = await db.query<RunRow & RunDetails>(
    `select ${RUN}, logs, effects, result_json from runs where tenant_id = $1 and id = $2`,
    [tenantId, id],
  )
  return rows[0]
}
