/** The SQL of system events. */
import type { Severity } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'

export interface SystemEventRow {
  id: string
  tenant_id: string | null
  event_type: string
  subject: string
  severity: Severity
  description: string
  details: Record<string, unknown>
  is_resolved: boolean
  resolved_at: Date | null
  resolved_by: string | null
  created_at: Date
}

const EVENT =
  'id, tenant_id, event_type, subject, severity, description, details, is_resolved, resolved_at, resolved_by, created_at'

/** Adds the event, or counts it on the open one, by the rules of server/functions/system-events/raise_system_event.sql. */
export async function upsertSystemEvent(
  db: Executor,
  event: {
    tenant_id: string | null
    event_type: string
    subject: string
    severity: Severity
    description: string
    details: object
    cool_down_seconds: number
  },
): Promise<SystemEventRow> {
  const { rows } = await db.query<SystemEventRow>(
    `select ${EVENT} from raise_system_event($1, $2, $3, $4, $5, $6, $7)`,
    [
      event.tenant_id,
      event.event_type,
      event.subject,
      event.severity,
      event.description,
      JSON.stringify(event.details),
      event.cool_down_seconds,
    ],
  )
  return rows[0]!
}

/** Counted up to 10,000: a higher number would say nothing more. */
export async function countOpenBySeverity(
  db: Executor,
  tenantId: string,
  wholeInstance: boolean,
): Promise<{ severity: Severity; count: number }[]> {
  const { rows } = await db.query<{ severity: Severity; count: number }>(
    `select severity, count(*)::integer as count from (
       select severity from admin_system_events
       where not is_resolved and (tenant_id = $1 or ($2 and tenant_id is null)) limit 10000
     ) e group by severity`,
    [tenantId, wholeInstance],
  )
  return rows
}

export async function selectSystemEvents(
  db: Executor,
  tenantId: string,
  query: {
    wholeInstance: boolean
    severity?: string | undefined
    event_type?: string | undefined
    resolved: boolean | null
    after: (string | number)[] | undefined
    limit: number
  },
): Promise<SystemEventRow[]> {
  const { rows } = await db.query<SystemEventRow>(
    `select ${EVENT} from admin_system_events
     where (tenant_id = $1 or ($2 and tenant_id is null)) and ($3::text is null or severity = $3)
       and ($4::text is null or event_type = $4) and ($5::boolean is null or is_resolved = $5)
       and ($6::timestamptz is null or (created_at, id) < ($6, $7::bigint))
     order by created_at desc, id desc limit $8`,
    [
      tenantId,
      query.wholeInstance,
      query.severity ?? null,
      query.event_type ?? null,
      query.resolved,
      query.after?.[0] ?? null,
      query.after?.[1] ?? null,
      query.limit,
    ],
  )
  return rows
}

/** Sets all three fields at once; resolving again changes nothing. */
export async function resolveSystemEventRow(
  db: Executor,
  tenantId: string,
  id: number,
  resolvedBy: string | null,
  wholeInstance: boolean,
): Promise<SystemEventRow | undefined> {
  const { rows } = await db.query<SystemEventRow>(
    `update admin_system_events set
       resolved_by = case when is_resolved then resolved_by else $3 end,
       resolved_at = coalesce(resolved_at, now()), is_resolved = true
     where id = $2 and (tenant_id = $1 or ($4 and tenant_id is null)) returning ${EVENT}`,
    [tenantId, id, resolvedBy, wholeInstance],
  )
  return rows[0]
}

/** Resolves the open events about a subject, when the condition itself is gone. */
export async function resolveOpenEvents(
  db: Executor,
  tenantId: string | null,
  eventType: string,
  subject: string,
): Promise<void> {
  await db.query(
    `update admin_system_events set is_resolved = true, resolved_at = now()
     where tenant_id is not distinct from $1 and event_type = $2 and subject = $3 and not is_resolved`,
    [tenantId, eventType, subject],
  )
}
