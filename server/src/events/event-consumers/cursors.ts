/** Where the consumers of a tenant's events are in its log, and putting them somewhere else. */
import type { EventConsumerName, EventCursor } from '@carillon/contract'
import { resolveSystemEvents } from '../../oversight/system-events/system-events.ts'
import { notFound, Refusal } from '../../platform/calls/refusal.ts'
import type { Client, Executor } from '../../platform/database/pool.ts'
import { STUCK } from './failure.ts'
import {
  type CursorRow,
  lockCursor,
  resetCursor,
  selectCursor,
  selectCursors,
  selectLastForgotten,
} from './queries.ts'

export async function listCursors(db: Executor, tenantId: string): Promise<EventCursor[]> {
  return (await selectCursors(db, tenantId)).map(toCursor)
}

export async function getCursor(
  db: Executor,
  tenantId: string,
  consumer: EventConsumerName,
): Promise<EventCursor> {
  const row = await selectCursor(db, tenantId, consumer)
  if (row === undefined) throw notFound(`event consumer ${consumer}`)
  return toCursor(row)
}

/**
 * Forwards it passes over events, backwards it reads them again, which changes nothing for those that were handled. Waits
 * for whoever is reading.
 */
export async function moveCursorTo(
  tx: Client,
  tenantId: string,
  consumer: EventConsumerName,
  to: number,
): Promise<EventCursor> {
  await lockCursor(tx, tenantId, consumer)
  if (consumer === 'notify_fanout') await refuseForgotten(tx, tenantId, consumer, to)
  const row = await resetCursor(tx, tenantId, consumer, to)
  if (row === undefined) {
    const { head_id } = await getCursor(tx, tenantId, consumer)
    const message = `The log ends at ${head_id}.`
    throw new Refusal('invalid_request', message, [{ field: 'to_event_id', message }])
  }
  await resolveSystemEvents(tx, tenantId, STUCK, consumer)
  return toCursor(row)
}

/** Records say whom an event was told to; once they are deleted, reading it again would tell everybody once more. */
async function refuseForgotten(
  tx: Client,
  tenantId: string,
  consumer: EventConsumerName,
  to: number,
): Promise<void> {
  const { last_event_id } = await getCursor(tx, tenantId, consumer)
  const earliest = Math.min(last_event_id, await selectLastForgotten(tx, tenantId))
  if (to >= earliest) return
  const message = `Events up to ${earliest} are older than the tenant keeps records: people would be told of them again.`
  throw new Refusal('invalid_request', message, [{ field: 'to_event_id', message }])
}

function toCursor(row: CursorRow): EventCursor {
  return {
    consumer: row.consumer,
    last_event_id: row.last_event_id,
    head_id: row.head_id,
    lag: row.head_id - row.last_event_id,
    tries: row.tries,
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
    last_error: row.last_error,
    moved_at: row.moved_at.toISOString(),
  }
}
