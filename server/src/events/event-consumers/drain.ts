/**
 * Reads a portion of a tenant's log for a consumer. Under a lock that only one can have, each event is handled in the
 * transaction that moves the cursor, so what an event causes and the place of the cursor are always the same story: a
 * worker that dies has done nothing, and nobody does it twice. The cursor's own row is written last, so that whoever adds
 * events to the log does not wait for those who read it.
 */
import { performance } from 'node:perf_hooks'
import { resolveSystemEvents } from '../../oversight/system-events/system-events.ts'
import { isUnavailableError } from '../../platform/database/errors.ts'
import { type Client, type Pool, transaction } from '../../platform/database/pool.ts'
import { readLog } from '../domain-events/domain-events.ts'
import type { EventConsumer, LoggedEvent } from './consumer.ts'
import { recordFailure, STUCK } from './failure.ts'
import { type CursorRow, moveCursor, selectCursor, tryLockCursor } from './queries.ts'

export interface DrainOptions {
  pool: Pool
  consumer: EventConsumer
  /** At most this many events per transaction. */
  maxEvents?: number
  /** Takes a slot for a transaction; without it, they are not limited. */
  inTurn?: <T>(work: () => Promise<T>) => Promise<T>
  /** An event became a dead letter. */
  onDead?: (tenantId: string, event: LoggedEvent) => void
}

/**
 * `more`: the portion was full, or the log goes on. `waiting`: the next event has failed, and is tried again later.
 * `busy`: somebody else is at it.
 */
export type Drained = 'more' | 'end' | 'waiting' | 'busy'

const MAX_EVENTS = 200
/** After this time a transaction ends with the event it is at, and other tenants have their turn. */
const PORTION_MS = 500

export async function drainPortion(options: DrainOptions, tenantId: string): Promise<Drained> {
  const { pool, consumer, inTurn = work => work() } = options
  let prepared: Prepared | undefined
  try {
    if (consumer.prepare !== undefined && ((await consumer.prepares?.(tenantId)) ?? true)) {
      prepared = await prepareNext(pool, consumer, tenantId)
      if (prepared === undefined) return 'end'
    }
    const limit = options.maxEvents ?? MAX_EVENTS
    return await inTurn(() => transaction(pool, tx => handlePortion(tx, consumer, tenantId, limit, prepared)))
  } catch (error) {
    if (!(error instanceof EventFailure)) throw error
    return await inTurn(() => afterFailure(options, tenantId, error))
  }
}

/** What comes before the event that failed is done without it. The transaction that it broke has left nothing. */
async function afterFailure(
  options: DrainOptions,
  tenantId: string,
  failure: EventFailure,
): Promise<Drained> {
  const { pool, consumer, onDead } = options
  const { event, before, lastEventId } = failure
  if (before > 0) {
    const done = await transaction(pool, tx => handlePortion(tx, consumer, tenantId, before, undefined))
    // It stopped earlier: with another failure it would have thrown.
    if (done === 'busy' || done === 'end') return done
  }
  const end = await recordFailure(pool, consumer, tenantId, { event, lastEventId, cause: failure.cause })
  if (end === 'dead') onDead?.(tenantId, event)
  return end === 'waiting' ? 'waiting' : 'more'
}

interface Prepared {
  /** undefined: there was none, since those that the cursor has not read are gone. */
  event: LoggedEvent | undefined
  chunkCursor: string
  value: unknown
}

/**
 * The event that comes next, with what its consumer asked others about it; nobody's transaction is open meanwhile.
 * undefined: it is not time yet.
 */
async function prepareNext(
  pool: Pool,
  consumer: EventConsumer,
  tenantId: string,
): Promise<Prepared | undefined> {
  const cursor = await selectCursor(pool, tenantId, consumer.name)
  if (cursor === undefined || !cursor.is_due) return undefined
  const [event] = await readLog(pool, tenantId, cursor.last_event_id, 1)
  const { chunk_cursor: chunkCursor, last_event_id: lastEventId } = cursor
  if (event === undefined) return { event, chunkCursor, value: undefined }
  try {
    return { event, chunkCursor, value: await consumer.prepare!(event, chunkCursor) }
  } catch (error) {
    throw new EventFailure(event, 0, lastEventId, error)
  }
}

async function handlePortion(
  tx: Client,
  consumer: EventConsumer,
  tenantId: string,
  limit: number,
  prepared: Prepared | undefined,
): Promise<Drained> {
  if (!(await tryLockCursor(tx, tenantId, consumer.name))) return 'busy'
  const cursor = await selectCursor(tx, tenantId, consumer.name)
  if (cursor === undefined || !cursor.is_due) return 'end'
  const events = await readLog(tx, tenantId, cursor.last_event_id, prepared === undefined ? limit : 1)
  if (prepared !== undefined && !isAt(prepared, cursor, events[0])) return 'more'
  const end = await handleEvents(tx, consumer, tenantId, { cursor, events, prepared })
  const isMoved = await moveCursor(tx, tenantId, consumer.name, {
    from: cursor.last_event_id,
    fromChunk: cursor.chunk_cursor,
    to: end.lastEventId,
    toChunk: end.chunkCursor,
  })
  // Nobody moves it without the lock; if somebody did all the same, nothing of this may stay.
  if (!isMoved) throw new Error(`The cursor of ${consumer.name} was moved by somebody else.`)
  if (cursor.tries > 0 || cursor.is_stuck) await resolveSystemEvents(tx, tenantId, STUCK, consumer.name)
  return end.lastEventId < cursor.head_id ? 'more' : 'end'
}

function isAt({ event, chunkCursor }: Prepared, cursor: CursorRow, next: LoggedEvent | undefined): boolean {
  return next?.event_id === event?.event_id && cursor.chunk_cursor === chunkCursor
}

/** Returns where the cursor stands afterwards. */
async function handleEvents(
  tx: Client,
  consumer: EventConsumer,
  tenantId: string,
  portion: { cursor: CursorRow; events: LoggedEvent[]; prepared: Prepared | undefined },
): Promise<{ lastEventId: number; chunkCursor: string }> {
  const { cursor, events, prepared } = portion
  // Without any event, those that the cursor has not read are gone.
  if (events.length === 0) return { lastEventId: cursor.head_id, chunkCursor: '' }
  const wanted = await consumer.wanted?.(tx, tenantId, events)
  const startMs = performance.now()
  let lastEventId = cursor.last_event_id
  let chunkCursor = cursor.chunk_cursor
  for (const [before, event] of events.entries()) {
    if (wanted === undefined || wanted.has(event.event_id)) {
      const next = await handleEvent(tx, consumer, event, chunkCursor, prepared?.value).catch(error => {
        throw isLostConnection(error) ? error : new EventFailure(event, before, lastEventId, error)
      })
      if (next !== undefined) return { lastEventId, chunkCursor: next }
    }
    lastEventId = event.id
    chunkCursor = ''
    if (performance.now() - startMs > PORTION_MS) break
  }
  return { lastEventId, chunkCursor }
}

/** A function of its own, so that a consumer which throws before its first await fails like any other. */
async function handleEvent(
  tx: Client,
  consumer: EventConsumer,
  event: LoggedEvent,
  chunkCursor: string,
  prepared: unknown,
): Promise<string | undefined> {
  return consumer.handle(tx, event, chunkCursor, prepared)
}

/** The database is away, which is no event's fault. A statement that took too long or met another may well be one's. */
function isLostConnection(error: unknown): boolean {
  const code = String((error as { code?: unknown } | null)?.code ?? '')
  return isUnavailableError(error) && !/^(57014|55P03|40)/.test(code)
}

/** An event at which the consumer failed. */
class EventFailure extends Error {
  readonly event: LoggedEvent
  /** How many events of the portion came before it. */
  readonly before: number
  /** Where the cursor stands when they are done. */
  readonly lastEventId: number

  constructor(event: LoggedEvent, before: number, lastEventId: number, cause: unknown) {
    super('A consumer failed at an event.', { cause })
    this.event = event
    this.before = before
    this.lastEventId = lastEventId
  }
}
