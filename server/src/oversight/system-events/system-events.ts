/** Curated events for operators: few in number, counted instead of repeated, resolved by people. Not a log. */
import { channel } from 'node:diagnostics_channel'
import { SEVERITIES, type Severity, type SystemEvent } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'
import { countOpenBySeverity, resolveOpenEvents, type SystemEventRow, upsertSystemEvent } from './queries.ts'

export interface RaisedEvent {
  tenant_id: string | null
  event_type: string
  /** What it is about; events of one type about different subjects are separate. */
  subject?: string | undefined
  severity: Severity
  description: string
  details?: Record<string, unknown> | undefined
  /** Within this time, the same event only increases the count. */
  cool_down_seconds?: number
}

const HOUR_SECONDS = 3600

/**
 * Every event is heard here before it is stored, so that the log has it even if the database is away. A channel of Node's
 * and not an argument: events are raised in many places that have nothing else to do with the log.
 */
const RAISED = channel('carillon:system-event')

export function hearSystemEvents(hear: (event: RaisedEvent) => void): () => void {
  const listener = (event: unknown) => hear(event as RaisedEvent)
  RAISED.subscribe(listener)
  return () => RAISED.unsubscribe(listener)
}

export async function raiseSystemEvent(db: Executor, event: RaisedEvent): Promise<SystemEvent> {
  RAISED.publish(event)
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

/** `wholeInstance`: with those that belong to no tenant. */
export async function countOpenEvents(
  db: Executor,
  tenantId: string,
  wholeInstance: boolean,
): Promise<{ count: number; by_severity: Record<Severity, number> }> {
  const rows = await countOpenBySeverity(db, tenantId, wholeInstance)
  const countOf = (severity: Severity) => rows.find(row => row.severity === severity)?.count ?? 0
  return {
    count: rows.reduce((sum, row) => sum + row.count, 0),
    by_severity: Object.fromEntries(SEVERITIES.map(severity => [severity, countOf(severity)])) as Record<
      Severity,
      number
    >,
  }
}

export function toSystemEvent(row: SystemEventRow): SystemEvent {
  return {
    ...row,
    id: Number(row.id),
    resolved_at: row.resolved_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  }
}
