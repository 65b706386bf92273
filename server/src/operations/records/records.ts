/** Records: reading what was accepted and what happened to it, and cancelling it. */
import type { CancelAnswer, RecordDetail, Record as WireRecord } from '@carillon/contract'
import { cancelRoutes } from '../../delivery/routes/cancel.ts'
import { countRoutes } from '../../delivery/routes/list.ts'
import { cancelRecord } from '../../intake/intents/cancel-record.ts'
import { stopExpansion } from '../../planning/expansions/expander.ts'
import { notFound, Refusal } from '../../platform/calls/refusal.ts'
import type { Client, Executor, Pool } from '../../platform/database/pool.ts'
import { type RecordOfEventRow, type RecordRow, selectRecord, selectRecordsOfEvent } from './queries.ts'

export type { RecordOfEventRow }

export async function getRecord(db: Pool | Client, tenantId: string, id: string): Promise<RecordDetail> {
  const record = await selectRecord(db, tenantId, id)
  if (record === undefined) throw notFound(`record ${id}`)
  return {
    ...toRecord(record),
    payload_json: record.payload_json,
    routes: await countRoutes(db, tenantId, id),
  }
}

/** The records that an event caused: one per rule that reached somebody. */
export function listRecordsOfEvent(
  db: Executor,
  tenantId: string,
  eventId: string,
): Promise<RecordOfEventRow[]> {
  return selectRecordsOfEvent(db, tenantId, eventId)
}

export async function cancel(tx: Client, tenantId: string, id: string): Promise<CancelAnswer> {
  // First, because the expander locks in this order; the statements after it then see the routes of its last chunk.
  const wasExpanding = await stopExpansion(tx, tenantId, id)
  if (!(await cancelRecord(tx, tenantId, id, wasExpanding))) throw await nothingLive(tx, tenantId, id)
  const answer = await cancelRoutes(tx, tenantId, id)
  if (answer.cancelled === 0 && answer.in_flight === 0 && !wasExpanding)
    throw nothingToCancel(answer.finished)
  return answer
}

/** In the archive, everything is finished. */
async function nothingLive(tx: Client, tenantId: string, id: string): Promise<Refusal> {
  const { routes } = await getRecord(tx, tenantId, id)
  return nothingToCancel(Object.values(routes).reduce((sum, count) => sum + count, 0))
}

function nothingToCancel(finished: number): Refusal {
  return new Refusal('nothing_to_cancel', `All ${finished} routes of this notification are finished.`)
}

export function toRecord(row: RecordRow): WireRecord {
  return {
    notification_id: row.notification_id,
    notification_type: row.notification_type,
    producer: row.producer,
    reason: row.reason,
    audience_kind: row.audience_kind,
    event_id: row.event_id,
    relation: row.relation,
    recipients: row.recipients,
    topic: row.topic,
    thread: row.thread,
    channels: row.channels,
    template: row.template,
    idempotency_key: row.idempotency_key,
    idempotency_expires_at: row.idempotency_expires_at.toISOString(),
    request_fingerprint: row.request_fingerprint,
    source: row.source,
    source_entry_id: row.source_entry_id,
    request_id: row.request_id,
    traceparent: row.traceparent,
    run_id: row.run_id,
    send_at: iso(row.send_at),
    send_at_local: row.send_at_local,
    expires_at: iso(row.expires_at),
    occurred_at: iso(row.occurred_at),
    accepted_at: row.accepted_at.toISOString(),
    expanded_at: iso(row.expanded_at),
    cancelled_at: iso(row.cancelled_at),
  }
}

function iso(time: Date | null): string | null {
  return time?.toISOString() ?? null
}
