/**
 * What becomes of an event at which a consumer fails: it is tried again with growing pauses, and nothing after it is read
 * meanwhile. After five times it is a dead letter, and the log goes on without it.
 */
import { raiseSystemEvent, resolveSystemEvents } from '../../oversight/system-events/system-events.ts'
import { type Client, type Executor, type Pool, transaction } from '../../platform/database/pool.ts'
import { backoffMs } from '../../platform/queue/backoff.ts'
import { storable } from '../../platform/text/cut.ts'
import type { EventConsumer, LoggedEvent } from './consumer.ts'
import {
  insertDeadLetter,
  lockCursor,
  moveCursor,
  postponeCursor,
  selectCursor,
  selectLetterKey,
} from './queries.ts'

/** What its dead letters are about, and the kind of the rows of the outbox that repeat them. */
export const EVENT_CONSUMER = 'event_consumer'
export const MAX_TRIES = 5
/** From the third failure on, somebody should know. */
const STUCK_TRIES = 3
export const STUCK = 'event_consumer_stuck'
const MAX_ERROR_LENGTH = 1000
/** 2, 8, 32 and 128 seconds: a restart of the database or of whoever is asked takes less. */
const PAUSES = { base_ms: 2000, cap_ms: 300_000 }
/** The growth is by two; every other step of it is taken. */
const pauseMs = (tries: number) => backoffMs(2 * tries - 1, PAUSES, Math.random())

export interface Failure {
  event: LoggedEvent
  /** Where the cursor stands. */
  lastEventId: number
  cause: unknown
}

/** `moved`: the cursor is somewhere else by now, so nothing is noted. */
export async function recordFailure(
  pool: Pool,
  consumer: EventConsumer,
  tenantId: string,
  { event, lastEventId, cause }: Failure,
): Promise<'waiting' | 'dead' | 'moved'> {
  const error = storable(cause instanceof Error ? cause.message : String(cause), MAX_ERROR_LENGTH)
  return transaction(pool, async tx => {
    await lockCursor(tx, tenantId, consumer.name)
    const cursor = await selectCursor(tx, tenantId, consumer.name)
    if (cursor?.last_event_id !== lastEventId) return 'moved'
    const tries = cursor.tries + 1
    if (tries < MAX_TRIES) {
      await postponeCursor(tx, tenantId, consumer.name, { lastEventId, error, delayMs: pauseMs(tries) })
      if (tries === STUCK_TRIES) await reportStuck(tx, consumer, tenantId, event, error)
      return 'waiting'
    }
    await insertDeadLetter(tx, { source: EVENT_CONSUMER, op: consumer.name }, event, { error, tries })
    await moveCursor(tx, tenantId, consumer.name, {
      from: lastEventId,
      fromChunk: cursor.chunk_cursor,
      to: event.id,
      toChunk: '',
    })
    await resolveSystemEvents(tx, tenantId, STUCK, consumer.name)
    return 'dead'
  })
}

async function reportStuck(
  tx: Client,
  consumer: EventConsumer,
  tenantId: string,
  event: LoggedEvent,
  error: string,
): Promise<void> {
  await raiseSystemEvent(tx, {
    tenant_id: tenantId,
    event_type: STUCK,
    subject: consumer.name,
    severity: 'high',
    description: `The consumer "${consumer.name}" cannot get past an event; what came after it waits.`,
    details: { event_id: event.event_id, id: event.id, kind: event.kind, error },
  })
}

/** By which the letters of an event that a consumer gave up are found. */
export function letterKeyOf(db: Executor, consumer: string, eventId: string): Promise<string> {
  return selectLetterKey(db, consumer, eventId)
}
