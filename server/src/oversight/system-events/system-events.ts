/** Curated events for operators: few in number, counted instead of repeated, resolved by people. Not a log. */
import type { Severity, SystemEvent } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'
import { resolveOpenEvents, type SystemEventRow, upsertSystemEvent } from './queries.ts'

export interface RaisedEvent {
  tenant_id: string | null
  event_type: string
  /** What it is about; events of one type about different subjects are separate. */
  subject?: string
  severity: Severity
  description: string
  details?: Record<string, unknown>
  /** Within this time, the same event only increases the count. */
  cool_down_seconds?: number
}

const HOUR_SECONDS = 3600

export async function raiseSystemEvent(db: Executor, event: RaisedEvent): Promise<SystemEvent> {
  const row = await upsertSystemEvent(db, {
    ...event,
    subject: event.subject ?? '',
    details: event.details ?? {},
    cool_down_seconds: event.cool_down_seconds ?? HOUR_SECONDS,
  })
  return toSystemEvent(row)
}

/** For a condition that ended by itself: nobody needs to look at it any more. */
export async function resolveSystemEvents(
  db: Executor,
  tenantId: string | null,
  eventType: string,
  subject: string,
): Promise<void> {
  await resolveOpenEvents(db, tenantId, eventType, subject)
}

export function toSystemEvent(row: SystemEventRow): SystemEvent {
  return {
    ...row,
    id: Number(row.id),
    resolved_at: row.resolved_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  }
}
