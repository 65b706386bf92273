/** Writing events: those that arrive together share one statement, and each caller is answered once its event is committed. */
import type { EmittedEvent } from '@carillon/contract'
import { Refusal } from '../../platform/calls/refusal.ts'
import { isDatabaseError, isDataError, isValueError } from '../../platform/database/errors.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { createBatcher } from '../../platform/queue/batcher.ts'
import { type BatchNames, traceBatches } from '../../platform/tracing/batched.ts'
import type { CheckedEvent } from './event.ts'
import { type AppendRow, appendEvents, selectEventIdByKey } from './queries.ts'

export interface EventWriter {
  /** Throws a Refusal when the event cannot be accepted. */
  append(event: CheckedEvent): Promise<EmittedEvent>
  drained(): Promise<void>
}

export interface EventWriterOptions {
  pool: Pool
  /** There are events to be put in order. */
  onAppended: () => void
}

const MAX_BATCH_EVENTS = 200
/** A second statement runs beside the first only for this many. */
const OVERLAP_FROM_EVENTS = 20
/** What may wait for its statement: beyond it, memory would grow for as long as the rush lasts. */
const MAX_WAITING = 20_000

export function createEventWriter({ pool, onAppended }: EventWriterOptions): EventWriter {
  const traced = traceBatches(SPANS)
  const batcher = createBatcher<CheckedEvent, AppendRow | undefined>({
    flush: traced.flush(async events => {
      const byOrd = new Map((await appendEvents(pool, events)).map(row => [row.ord, row]))
      onAppended()
      return events.map((_, ord) => byOrd.get(ord))
    }),
    maxBatch: MAX_BATCH_EVENTS,
    slots: 2,
    overlapFrom: OVERLAP_FROM_EVENTS,
    isolates: error =>
      isLocked(error) ||
      isDataError(error) ||
      isDatabaseError(error, 'deadlock_detected', 'serialization_failure'),
    isShared: isLocked,
  })
  let waiting = 0
  return {
    async append(event) {
      if (waiting >= MAX_WAITING) throw tooMany()
      waiting++
      try {
        return await traced.submit(event, async each => toEmitted(await batcher.add(each)))
      } catch (error) {
        throw toRefusal(error)
      } finally {
        waiting--
      }
    },
    drained: () => batcher.drained(),
  }
}

const SPANS: BatchNames<CheckedEvent> = {
  item: 'append event',
  batch: 'append events',
  attributesOf: ({ tenant_id, kind }) => ({ 'carillon.tenant_id': tenant_id, 'carillon.event_kind': kind }),
}

/** Another transaction has not decided yet whether it keeps the same key. */
const isLocked = (error: unknown) => isDatabaseError(error, 'lock_not_available')

function tooMany(): Refusal {
  return new Refusal(
    'unavailable',
    'More events arrive than can be stored. This one was not accepted: send the same request again in a moment.',
  )
}

/** Writes an event inside the caller's transaction, by the same rules. Throws a Refusal if it cannot be accepted. */
export async function appendInTransaction(tx: Client, event: CheckedEvent): Promise<EmittedEvent> {
  try {
    return toEmitted((await appendEvents(tx, [event]))[0])
  } catch (error) {
    throw toRefusal(error)
  }
}

/** The event whose key an idempotency conflict is about; undefined once it is gone. */
export async function findEventByKey(
  pool: Pool,
  { tenant_id, producer, idempotency_key }: CheckedEvent & { idempotency_key: string },
): Promise<string | undefined> {
  return selectEventIdByKey(pool, tenant_id, producer, idempotency_key)
}

function toEmitted(row: AppendRow | undefined): EmittedEvent {
  if (row === undefined) throw new Error('append_events gave no answer for an event')
  if (row.failure_code === null) return { event_id: row.event_id!, duplicate: row.outcome === 'duplicate' }
  const [field, message] = [row.failure_field ?? 'body', row.failure_message ?? '']
  throw new Refusal(row.failure_code, message, [{ field, message }])
}

function toRefusal(error: unknown): unknown {
  // The payload is valid JSON, but PostgreSQL cannot hold it: a number is too large or the nesting too deep.
  if (!isValueError(error)) return error
  const { message } = error as Error
  return new Refusal('invalid_payload', `payload: ${message}.`, [{ field: 'payload', message }])
}
